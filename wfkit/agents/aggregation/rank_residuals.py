"""Ranks with the effects of clean performance and of the model taken out, in every bootstrap replicate at once.

A row that is drawn twice counts with the weight 2, which gives the same midranks and least squares as copying it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A residual below this share of the column's variance is no variation but rounding.
RELATIVE_ZERO = 1e-12


class RankResiduals:
    """Partial Spearman correlations of columns, given one more column and a grouping of the rows.

    Ranks are regressed on an intercept, the ranks of the control and a dummy for each model (least squares; a control
    that is constant within models drops out). The correlation is Pearson's, of the residuals.
    """

    def __init__(self, columns: Floats, control: Floats, model: NDArray[np.integer[Any]]) -> None:
        """
        Args:
            columns: shape (columns, rows), finite.
            control: shape (rows,), finite.
            model: shape (rows,), a code for the model of each row.
        """
        self.order = np.argsort(model, kind="stable")
        starts = np.flatnonzero(np.diff(np.sort(model), prepend=-1))
        self.starts: Integers = starts
        self.sizes: Integers = np.diff(np.append(starts, len(model)))
        # Rounded, so that 1 - 0.7 ties with 0.3.
        values = np.round(np.vstack((control, columns)), 12)[:, self.order]
        self.rankings = [_Ranking(row) for row in values]

    def correlations(self, weights: Integers) -> Floats:
        """The matrix of partial correlations under every weighting of the rows.

        Args:
            weights: shape (replicates, rows), how often each row was drawn.

        Returns:
            Shape (replicates, columns, columns), each in [-1, 1]; NaN where a column has no variation left.
        """
        weights = weights[:, self.order]
        weight = weights.astype(np.float64)[:, None, :]
        ranks = np.stack([ranking.ranks(weights) for ranking in self.rankings], axis=1)
        total = weight.sum(axis=2, keepdims=True)
        centred = ranks - (ranks * weight).sum(axis=2, keepdims=True) / total
        variance = (centred**2 * weight).sum(axis=2)
        within = centred - self._means(centred, weight)
        control, columns = within[:, :1], within[:, 1:]
        control_left = (control**2 * weight).sum(axis=2)
        products = (columns * control * weight).sum(axis=2)
        varies = control_left > RELATIVE_ZERO * variance[:, :1]
        slope = np.divide(products, control_left, out=np.zeros_like(products), where=varies)
        residuals = columns - slope[:, :, None] * control
        covariance = (residuals * weight) @ residuals.transpose(0, 2, 1)
        left = np.diagonal(covariance, axis1=1, axis2=2)
        left = np.where(left > RELATIVE_ZERO * variance[:, 1:], left, np.nan)
        scale = np.sqrt(left)
        return np.asarray(np.clip(covariance / (scale[:, :, None] * scale[:, None, :]), -1, 1))

    def _means(self, values: Floats, weight: Floats) -> Floats:
        """The weighted mean of its model at every row; 0 for a model that was not drawn."""
        sums = np.add.reduceat(values * weight, self.starts, axis=2)
        counts = np.add.reduceat(weight, self.starts, axis=2)
        means = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        return np.repeat(means, self.sizes, axis=2)


class _Ranking:
    """Midranks of one column under any weights, from one sort."""

    def __init__(self, values: Floats) -> None:
        self.order = np.argsort(values, kind="stable")
        _, self.group, sizes = np.unique(values, return_inverse=True, return_counts=True)
        self.ends: Integers = np.cumsum(sizes) - 1

    def ranks(self, weights: Integers) -> Floats:
        """The midrank of every row: shape of the weights, (replicates, rows)."""
        reached = np.cumsum(weights[:, self.order], axis=1)[:, self.ends]
        counts = np.diff(reached, axis=1, prepend=0)
        return np.asarray((reached - (counts - 1) / 2)[:, self.group])


def partial_spearman(columns: Floats, control: Floats, model: NDArray[np.integer[Any]]) -> Floats:
    """The matrix of partial rank correlations of the columns, given the control and the model of each row.

    Args:
        columns: shape (columns, rows).
        control: shape (rows,).
        model: shape (rows,).

    Returns:
        Shape (columns, columns); NaN where a column has no variation left.
    """
    once = np.ones((1, columns.shape[1]), dtype=np.int64)
    return np.asarray(RankResiduals(columns, control, model).correlations(once)[0])
