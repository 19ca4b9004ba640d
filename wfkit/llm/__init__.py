"""Everything that calls a language model: endpoints, requests, caps, cache, retries and concurrency, in one place."""
