"""Real files, and the workflows that a maintainer of each format draws of them: made by hand from the files."""

# ruff: noqa: E501 - texts of real steps

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from wfkit.errors import DataError

DRAWINGS = {
    "dify/my_workflow.yml": "t [7cc7b666] translate",
    "dify/translation_workflow.yml": "t [1636028c] Translate",
    "evoagentx/arxiv_daily_digest.json": """
        s [search_papers_using_arxiv_toolkit] Use the ArxivToolkit to search for the latest papers based on user-provided constraints.
        z [summarize_search_results] Summarize the search results to provide concise overviews of each paper.
        c [compile_summaries_into_markdown] Compile the summarized search results into a well-formatted Markdown digest.
        s-z-c""",
    "evoagentx/tetris_game.json": """
        r [requirements_analysis] Analyze the core requirements for developing a browser-based Tetris game.
        h [html_structure_setup] Create the basic HTML structure for the Tetris game layout.
        c [css_styling] Generate CSS code to style the Tetris game interface.
        j [javascript_game_logic] Develop the JavaScript code to implement the Tetris game logic and functionality.
        f [final_code_integration] Combine the HTML, CSS, and JavaScript into a single document ready for testing.
        r-h r-j h-c h-j h-f c-j c-f j-f""",
    "flowise/llm-chain-chatflow.json": """
        p [promptTemplate_0] Prompt Template
        m [azureChatOpenAI_0] Azure ChatOpenAI
        c [llmChain_0] LLM Chain
        p-c m-c""",
    "flowise/software-team-agentflow.json": """
        s [supervisor_0] Supervisor
        e [worker_0] Senior Software Engineer
        r [worker_1] Code Reviewer
        s-e s-r""",
    "flowise/translator-agentflowv2.json": "t [llmAgentflow_0] Translator",
    "langgraph/test_conditional_entrypoint_graph_state_2.json": "l [left]\nr [right]",
    "langgraph/test_conditional_entrypoint_to_multiple_state_graph_2.json": "g [get_weather] get weather",
    "langgraph/test_conditional_state_graph_with_list_edge_inputs.json": "a [A]\nb [B]",
    "langgraph/test_get_graph_loop.json": "h [human]\na [agent]\nh-a",
    "langgraph/test_get_graph_nonterminal_last_step_source.json": "h [human]\nc [chatbot]\nt [tools]\nh-c-t",
    "langgraph/test_conditional_entrypoint_graph_state_3.mmd": "l [left]\nr [right]",
    "langgraph/test_conditional_entrypoint_to_multiple_state_graph_3.mmd": "g [get_weather] get weather",
    "langgraph/test_conditional_state_graph_with_list_edge_inputs_1.mmd": "a [A]\nb [B]",
    "langgraph/test_get_graph_loop_1.mmd": "h [human]\na [agent]\nh-a",
    "langgraph/test_get_graph_root_channel_1.mmd": "c [child]",
    "n8n/create-google-doc.json": """
        w [Webhook]
        g [Google Drive] Google Drive: create from text
        r [Respond to Webhook]
        w-g-r""",
    "n8n/starter-kit-demo.json": "t [Chat Trigger]\nl [Basic LLM Chain]\nt-l",
    "n8n/business-researcher.json": """
        w [Webhook] Webhook: POST invoke-business-idea-researcher
        e [Edit Fields]
        s2 [Supabase2] Supabase: messages
        r [Reddit] Reddit: search
        i [IF]
        l [Limit]
        s [Set]
        a [AI Agent]
        m [Merge]
        f [Filter]
        o [OpenAI]
        c [Summarization Chain]
        m1 [Merge1] Merge 1
        s1 [Supabase] Supabase: messages
        z [Respond to Webhook]
        w-e-s2-r-i-l-s s-a-m s-m m-f f-o-m1 f-c-m1 f-m1 m1-s1-z""",
    "n8n/crawl4ai-agent.json": """
        t [When clicking ‘Test workflow’]
        h [HTTP Request] HTTP Request: GET https://ai.pydantic.dev/sitemap.xml
        x [XML]
        s [Split Out]
        l [Loop Over Items]
        h1 [HTTP Request1] HTTP Request: POST https://seashell-app-gvc6l.ondigitalocean.app/crawl
        w [Wait]
        h2 [HTTP Request2] HTTP Request: GET https://seashell-app-gvc6l.ondigitalocean.app/task/{{ $json.task_id }}
        i [If]
        e [Edit Fields]
        v [Supabase Vector Store]
        c [When chat message received]
        a [AI Agent]
        t-h-x-s-l-h1-w-h2-i i-v i-e c-a""",
    "n8n/github-assistant.json": """
        t [Execute Workflow Trigger]
        c [Code]
        s [Switch]
        d [Add AI Message to DB]
        d1 [Add AI Message to DB1]
        h [HTTP Request] HTTP Request: GET {{ `https://api.github.com/repos/${$('Code').item.json.org}/${$('Code').item.json.repo}/git/trees/main?recursive=1` }}
        h1 [HTTP Request1] HTTP Request: GET {{ `https://raw.githubusercontent.com/${$('Code').item.json.org}/${$('Code').item.json.repo}/main/${$('Execute Workflow Trigger').item.json.query.file_path}` }}
        c1 [Code1] Code 1
        w [Webhook] Webhook: POST invoke-github-assistant
        p [Prep Input Fields]
        a [AI Agent]
        o [Prep Output Fields]
        r [Respond to Webhook]
        t-c-s s-d-h-c1 s-d1-h1 w-p-a-o-r""",
    "mermaid/cli-flowchart1.mmd": """
        A [A] Christmas
        B [B] Go shopping
        C [C] Let me think
        D [D] Laptop
        E [E] iPhone
        F [F] Car
        A-B-C C-D C-E C-F""",
    "mermaid/cli-flowchart3.mmd": """
        B [B] for peace
        C [C] forbidden
        D [D] spinner
        E [E] A perhaps?
        F [F] Red Circle
        B-C B-D B-E D-F""",
    "mermaid/nextflow-dag.mmd": """
        a [v0] Channel.fromFilePairs
        b [v1] transcriptome
        c [v7] config
        i [v2] INDEX
        f [v3] FASTQC
        q [v4] QUANT
        m [v8] MULTIQC
        a-f a-q b-i-q f-m q-m c-m""",
    "asl/pagination-loop.asl.json": """
        l [ListExecutions] List Executions
        m [more results?]
        n [List Executions nextPage]
        s [Success]
        l-m m-n m-s""",
    "asl/dataquality.asl.json": """
        c [Copy input file]
        q [Data quality using Lambda]
        l [List Data Quality Results]
        p [Parse Data Quality Results]
        x [Parse Data Quality Results/Pass] Pass
        f [FilterFailures] Filter Failures
        k [Check Data Quality Results]
        m [Send Failure Message]
        z [FailState] Fail State
        a [Aggregate Data]
        s [Send Success Message]
        c-q-l-p-x-f-k k-m-z k-a-s""",
    "asl/saga.asl.json": """
        rf [ReserveFlight] Reserve Flight
        rc [ReserveCarRental] Reserve Car Rental
        pp [ProcessPayment] Process Payment
        cf [ConfirmFlight] Confirm Flight
        cc [ConfirmCarRental] Confirm Car Rental
        ok [SendingSMSSuccess] Sending SMS Success
        yes [Reservation Successful!]
        rp [RefundPayment] Refund Payment
        xr [CancelRentalReservation] Cancel Rental Reservation
        xf [CancelFlightReservation] Cancel Flight Reservation
        no [SendingSMSFailure] Sending SMS Failure
        bad [Reservation Failed]
        rf-rc-pp-cf-cc-ok-yes rp-xr-xf-no-bad rf-xf rc-xr pp-rp cf-rp cc-rp""",
    "asl/prompt-chaining-hitl.asl.json": """
        s [StartTranscriptionJob] Start Transcription Job
        g [GetTranscriptionJob] Get Transcription Job
        c [Choice]
        w [Wait]
        f [Fail]
        r [Read Transcript]
        p [Pass]
        q [Parallel]
        b [Parallel/create Bedrock prompt] create Bedrock prompt
        i [Parallel/Bedrock InvokeModel] Bedrock InvokeModel
        t [Parallel/Call third-party API] Call third-party API
        u [Wait for user feedback]
        d [Choose the title and Description]
        a [Generate Avatar]
        e [send custom avatar to user]
        s-g-c c-r-p-q c-f c-w q-b-i-u q-t-u u-d-a-e""",
    "asl/summarize-transcription.asl.yaml": """
        p [Prepare Configuration]
        a [Aquire Lock]
        c [Create Prompt From Transcription]
        s [Create Summary of Transcription]
        t [Store Transcription Summary]
        e [Publish Event - Summarization Completed]
        r [Release Lock]
        z [Success]
        p-a-c-s-t-e-r-z""",
    "logicapps/chat-workflow.json": """
        t [When_a_HTTP_request_is_received] When a HTTP request is received
        a [system_message] system message
        b [sample_responses] sample responses
        c [system_message_for_search_query] system message for search query
        d [generate_search_query] generate search query
        e [get_search_query] get search query
        f [Gets_a_single_embedding] Gets a single embedding
        g [Vector_search] Vector search
        h [create_prompt] create prompt
        i [Get_chat_completions] Get chat completions
        j [Response]
        t-a-b-c-d-e-f-g-h-i-j""",
    "logicapps/rag-ingestion.json": """
        t [When_a_HTTP_request_is_received] When a HTTP request is received
        a [Get_rows] Get rows
        b [Parameters_for_Tokenize] Parameters for Tokenize
        c [Chunk_and_Tokenize] Chunk and Tokenize
        d [Convert_tokenized_output_to_JSON] Convert tokenized output to JSON
        e [Select_JSON_array_items] Select JSON array items
        f [Azure_Open_AI_-_Get_multiple_embeddings] Azure Open AI - Get multiple embeddings
        g [Select_embeddings] Select embeddings
        h [Index_multiple_documents] Index multiple documents
        i [Response]
        t-a-b-c-d-e-f-g-h-i""",
    "logicapps/pa-do-until-exception.json": """
        m [manual]
        v [Initialize_variable_'Do_Until_Status'] Initialize variable 'Do Until Status'
        u [Do_until] Do until
        s [Do_until/Scope] Scope
        w [Do_until/Scope/Actual_work] Actual work
        i [Do_until/Scope/Set_'Do_Until_Status'_to_Complete_if_work_is_done] Set 'Do Until Status' to Complete if work is done
        c [Do_until/Scope/Set_'Do_Until_Status'_to_Complete_if_work_is_done/Set_'Do_Until_Status'_to_Complete] Set 'Do Until Status' to Complete
        x [Do_until/On_failure_set_'Do_Until_Status'_to_Exception] On failure set 'Do Until Status' to Exception
        k [Check_'Do_Until_status'_and_terminate_with_correct_status] Check 'Do Until status' and terminate with correct status
        y [Check_'Do_Until_status'_and_terminate_with_correct_status/Terminate_with_Succeeded] Terminate with Succeeded
        n [Check_'Do_Until_status'_and_terminate_with_correct_status/Terminate_with_Failed] Terminate with Failed
        m-v-u-s-w-i-c s-x i-k c-k x-k k-y k-n""",
    "dot/when-to-use.dot": """
        h [Have implementation plan?]
        t [Tasks mostly independent?]
        s [Stay in this session?]
        d [subagent-driven-development] subagent driven development
        e [executing-plans] executing plans
        m [Manual execution or brainstorm first]
        h-t-s h-m t-m s-d s-e""",
    "dot/brainstorming.dot": r"""
        a [Explore project context]
        b [Ask clarifying questions]
        c [Propose 2-3 approaches]
        d [Present design sections]
        e [User approves design?]
        f [Write design doc]
        g [Spec self-review\n(fix inline)] Spec self-review (fix inline)
        h [User reviews spec?]
        i [Invoke writing-plans skill]
        a-b-c-d-e-f-g-h-i""",
    "dot/subagent-process.dot": """
        s [Setup: worktree, ledger check, read plan, pre-flight review]
        d [Dispatch implementer subagent (./implementer-prompt.md)]
        q [Implementer asks questions?]
        a [Answer questions, provide context]
        i [Implementer implements, tests, commits, self-reviews]
        g [Generate review package, dispatch task reviewer (./task-reviewer-prompt.md)]
        o [Spec ✅ and quality approved?]
        c [Finding conflicts with plan text?]
        h [Ask human partner which governs]
        f [Fix round R of 5: R≤3 resume implementer; R≥4 fresh implementer, more capable model]
        r [Dispatch scoped re-review (./re-review-prompt.md)]
        k [All findings addressed?]
        r5 [R = 5?]
        j [Adjudicate each open finding]
        l [Any load-bearing finding?]
        x [STOP: report BLOCKED to human partner]
        p [Park findings in ledger with rulings]
        z [Append completion to ledger, mark todo complete]
        m [More tasks remain?]
        n [Dispatch final code reviewer (../requesting-code-review/code-reviewer.md)]
        t [Final findings? ONE fix dispatch, one scoped re-review, adjudicate residuals]
        u [Final review clean: delete this plan's workspace]
        v [Use superpowers:finishing-a-development-branch]
        s-d-q-a-i-g-o q-i o-z o-c-h-f-r-k c-f k-z k-r5-j-l l-x l-p-z-m-n-t-u-v""",
    "gha/azure-webapps-node.yml": "b [build]\nd [deploy]\nb-d",
    "gha/hugo.yml": "b [build]\nd [deploy]\nb-d",
    "gha/npm-publish.yml": "b [build]\np [publish-npm] publish npm\nb-p",
    "gha/dotnet-build-and-test.yml": """
        p [paths-filter] paths filter
        b [dotnet-build] dotnet build
        t [dotnet-test] dotnet test
        f [dotnet-foundry-hosted-it] dotnet foundry hosted it
        c [dotnet-build-and-test-check] dotnet build and test check
        r [dotnet-integration-test-report] Integration Test Report
        p-b-c p-t-c p-f-c t-r""",
    "argo/coinflip-recursive.yaml": "f [flip-coin] flip coin\nh [heads]\nt [tails]\nf-h f-t",
    "argo/dag-diamond.yaml": "A [A]\nB [B]\nC [C]\nD [D]\nA-B-D A-C-D",
    "argo/dag-enhanced-depends.yaml": """
        A [A]
        B [B]
        C [C]
        s1 [should-execute-1] should execute 1
        s2 [should-execute-2] should execute 2
        n [should-not-execute] should not execute
        s3 [should-execute-3] should execute 3
        A-B A-C A-s1 C-s1 B-s2 C-s2 B-n C-n s2-s3 n-s3""",
    "argo/dag-nested.yaml": "\n".join(
        [f"{task} [{task}]\n{task}a [{task}/A] A\n{task}b [{task}/B] B\n{task}c [{task}/C] C\n{task}d [{task}/D] D" for task in "ABCD"]
        + [f"{task}-{task}a-{task}b-{task}d {task}a-{task}c-{task}d" for task in "ABCD"]
        + ["Ad-B Ad-C Bd-D Cd-D"]
    ),
    "argo/steps.yaml": "a [hello1] hello 1\nb [hello2a]\nc [hello2b]\na-b a-c",
    "bpmn/loan-granting.bpmn": """
        c [Task_1lvjtd4] Check credit score
        d [SubProcess_16kr5xn] Decide if a loan is granted
        g [SubProcess_16kr5xn/Task_0v4gadf] Grant loan
        r [SubProcess_16kr5xn/Task_0j0sjlk] Reject loan request
        c-d-g d-r""",
    "bpmn/parse-bpmn.bpmn": """
        s [startEvent] Start Process
        t [serviceTask] Service Task
        f [gatewayFork] Fork
        a [userTaskA] User Task A
        b [userTaskB] User Task B
        j [gatewayJoin] Join
        p [scriptTask] Script Task
        e [endEvent] End Process
        s-t-f-a-j-p-e f-b-j""",
    "ms-agent-framework/Marketing.yaml": """
        a [invoke_analyst] invoke analyst
        w [invoke_writer] invoke writer
        e [invoke_editor] invoke editor
        a-w-e""",
    "ms-agent-framework/CustomerSupport.yaml": """
        s [service_agent] service agent
        r [check_if_resolved] check if resolved
        t [ticket_agent] ticket agent
        c [capture_attempted_resolution] capture attempted resolution
        l [log_ticket] log ticket
        o [routing_agent] routing agent
        m [log_route] log route
        k [check_routing] check routing
        v [check_routing/conversation_support] conversation support
        a [check_routing/support_agent] support agent
        x [check_routing/capture_support_resolution] capture support resolution
        y [check_routing/check_resolved] check resolved
        z [check_routing/check_resolved/resolution_agent] resolution agent
        e [conversation_escalate] conversation escalate
        f [escalate_agent] escalate agent
        s-r-t-c-l-o-m-k-v-a-x-y-z y-e k-e-f""",
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_workflow_is_the_one_drawn_by_hand(
    name: str, corpus: Path, parse: Callable[..., Any], drawn: Callable[..., Any], drawing: Callable[..., Any]
) -> None:
    (record,) = parse(corpus / name)
    texts, edges = drawing(DRAWINGS[name])
    assert drawn(record) == (texts, edges)
    order = {node["id"]: place for place, node in enumerate(record["nodes"])}
    assert all(order[source] < order[target] for source, target in record["edges"])


def test_the_large_flow_of_power_automate(corpus: Path, parse: Callable[..., Any], drawn: Callable[..., Any]) -> None:
    """40 actions and a trigger; the texts are checked by name, as the descriptions are long."""
    (record,) = parse(corpus / "logicapps/pa-review-approval.json", text="name")
    texts, edges = drawn(record)
    short = {step: step.rpartition("/")[2] for step in texts}
    assert len(texts) == 41
    assert all(texts[step] == name.replace("_", " ") for step, name in short.items())
    named = {(short[source], short[target]) for source, target in edges}
    assert len(named) == len(edges)
    head = [
        "manual", "Get_file_properties", "Initialize_updateMetadata1_variable", "Initialize_updateMetadata2_variable",
        "Initialize_supervisorReviewers_array_variable", "Initialize_supervisorComments_variable",
        "Initialize_allResponses_variable", "Condition_File_not_found", "Create_an_approval",
        "Do_until_-_Add_approver_name_to_SP_and_lock_email_if_it_fails", "Add_approvers_to_an_array_variable",
        "Append_to_array_variable", "Update_file_properties", "Send_an_email_(V2)_that_file_is_locked",
        "Check_if_file_is_locked_by_updating_SP_3", "Delay_before_rechecking_for_lock_3", "Set_updateMetadata1_variable",
        "Wait_for_an_approval", "Condition_-_Is_Rejected_or_Approved",
    ]  # fmt: skip
    expected = set(pairwise(head))
    # Inside the first loop, the check and the delay are over without what only their failure leads to.
    expected |= {(head[14], "Wait_for_an_approval"), (head[15], "Wait_for_an_approval")}
    for number, (copy, loop) in enumerate((("", "_2"), ("_2", "_3")), start=1):
        branch = [
            "Condition_-_Is_Rejected_or_Approved", f"Do_until_{number}", f"Get_file_properties{loop}",
            f"Append_to_supervisorComments_variable_{number}", f"Apply_to_each{copy}",
            f"Append_to_allResponses_variable_{number}", f"Update_file_properties{loop}",
            f"Send_an_email_(V2)_that_file_is_locked_{number}", f"Check_if_file_is_locked_by_updating_SP_{number}",
            f"Delay_before_rechecking_for_lock_{number}", f"Set_updateMetadata2_variable_{number}",
            f"Send_a_confirmation_email_{number}",
        ]  # fmt: skip
        expected |= set(pairwise(branch))
    assert named == expected


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("n8n/broken-id-keys.json", "E-GHOST", "Google Drive -> error-handler-2165cd37"),
        ("n8n/broken-no-connections.json", "E-NO-EDGES", "8 steps"),
    ],
)
def test_files_that_are_broken_in_their_source(
    name: str, code: str, message: str, corpus: Path, parse: Callable[..., Any]
) -> None:
    (record,) = parse(corpus / name)
    assert record["problem"].code == code
    assert message in str(record["problem"])


BACK_EDGES = {
    "langgraph/test_get_graph_loop.json": [["agent", "human"]],
    "langgraph/test_get_graph_nonterminal_last_step_source.json": [["chatbot", "human"], ["tools", "chatbot"]],
    "n8n/crawl4ai-agent.json": [["Edit Fields", "Wait"], ["Supabase Vector Store", "Loop Over Items"]],
    "asl/pagination-loop.asl.json": [["List Executions nextPage", "more results?"]],
    "asl/prompt-chaining-hitl.asl.json": [
        ["Choose the title and Description", "Read Transcript"],
        ["Wait", "GetTranscriptionJob"],
    ],
    "argo/coinflip-recursive.yaml": [["tails", "flip-coin"]],
    "dot/brainstorming.dot": [
        ["User approves design?", "Present design sections"],
        ["User reviews spec?", "Write design doc"],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", BACK_EDGES)
def test_loops_are_opened_where_they_close(name: str, corpus: Path, parse: Callable[..., Any]) -> None:
    (record,) = parse(corpus / name)
    assert sorted(record["meta"]["back_edges"]) == BACK_EDGES[name]
    assert any(warning.startswith("W-LOOP") for warning in record["meta"]["warnings"])


def test_plans_of_hugginggpt(corpus: Path, parse: Callable[..., Any], drawn: Callable[..., Any]) -> None:
    """Six answers in one conversation: the first and third are no JSON in their source (stray braces, no bracket)."""
    records = parse(corpus / "plan-json/hugginggpt-demos.json")
    assert [record["id"].rpartition("/")[2] for record in records] == ["1", "2", "3", "4", "5", "6"]
    assert records[0]["problem"].code == "E-SYNTAX"
    assert isinstance(records[2]["problem"], DataError)
    second = {
        "0": "image to text (image: /e.jpg)", "1": "object detection (image: /e.jpg)",
        "2": "visual question answering (text: how many objects in the picture?)", "3": "text to image",
        "4": "image to image (image: /e.jpg)", "5": "text to video",
    }  # fmt: skip
    assert drawn(records[1]) == (second, {("1", "2"), ("0", "3"), ("0", "5")})
    fourth = {
        "0": "openpose control (image: /example.jpg)",
        "1": "openpose text to image (text: a girl is reading a book)",
    }
    assert drawn(records[3]) == (fourth, {("0", "1")})
    assert [len(record["nodes"]) for record in records[4:]] == [3, 2]
    assert [record["edges"] for record in records[4:]] == [[], []]
    assert records[5]["task"] == "please show me a joke and an image of cat"


def test_plans_of_taskbench(corpus: Path, parse: Callable[..., Any]) -> None:
    records = parse(corpus / "taskbench/minimax-multimedia.excerpt.jsonl")
    edges = {record["id"]: ["".join(edge) for edge in record["edges"]] for record in records}
    assert edges == {
        "16097613": ["01", "12"],
        "36690562": ["01", "12", "13", "34"],
        "25866928": ["01", "12", "23"],
        "13018270": ["01", "12"],
        "30934207": [],
        "24192922": ["01", "12", "03", "23"],
        "11425996": ["01", "12", "13", "23"],
    }
    assert [node["text"] for node in records[3]["nodes"]] == [
        "Combine 'example.wav' and 'example2.wav' into a single audio file.",
        "Apply a reverb effect with a 2-second decay to the combined audio file.",
        "Boost the bass frequencies by 3dB in the audio file from Step 2 using equalization.",
    ]
    assert records[4]["task"].startswith("Please create a panorama")


@pytest.mark.parametrize(
    ("name", "steps", "begins"),
    [
        ("template", ["research_task", "reporting_task"], "Conduct a thorough research about {topic} Make sure"),
        ("stock_analysis", ["financial_analysis", "research", "filings_analysis", "recommend"], "Conduct a thorough analysis"),
        (
            "landing_page",
            ["expand_idea_task", "refine_idea_task", "choose_template_task", "update_page_task", "component_content_task",
             "update_component_task", "qa_component_task"],
            "THIS IS A GREAT IDEA! Analyze and expand it by conducting",
        ),
    ],
)  # fmt: skip
def test_crews_work_in_listed_order(
    name: str, steps: list[str], begins: str, corpus: Path, parse: Callable[..., Any]
) -> None:
    (record,) = parse(corpus / f"crewai/{name}.tasks.yaml")
    assert [node["id"] for node in record["nodes"]] == steps
    assert record["edges"] == [list(pair) for pair in pairwise(steps)]
    assert record["nodes"][0]["text"].startswith(begins)
    assert record["meta"]["warnings"][0].startswith("W-ASSUMED-CHAIN")


SHUFFLED = [name for name in DRAWINGS if name.endswith(".json")]


@pytest.mark.parametrize("name", SHUFFLED)
def test_shuffled_arrays_and_objects_give_the_same_record(name: str, corpus: Path, parse: Callable[..., Any]) -> None:
    """The arrays of nodes and edges, and the keys of the objects that hold states, actions and connections."""
    text = (corpus / name).read_text(encoding="utf-8")
    value = json.loads(text)
    (expected,) = parse(value)
    for seed in range(5):
        shuffled = _shuffled(json.loads(text), random.Random(seed))
        assert parse(shuffled) == [expected]


def _shuffled(value: Any, chance: random.Random, key: str = "") -> Any:
    if isinstance(value, dict):
        keys = list(value)
        if key in ("States", "actions", "connections", "triggers"):
            chance.shuffle(keys)
        return {one: _shuffled(value[one], chance, one) for one in keys}
    if isinstance(value, list):
        items = [_shuffled(one, chance) for one in value]
        if key in ("nodes", "edges", "Branches"):
            chance.shuffle(items)
        return items
    return value


UNREAD = ["agentspec", "arazzo", "serverless-workflow", "tekton", "kestra"]


def test_formats_that_are_not_read_are_told(corpus: Path, parse: Callable[..., Any]) -> None:
    for folder in UNREAD:
        for path in (corpus / folder).iterdir():
            try:
                records = parse(path)
            except DataError as error:
                assert error.code in ("E-UNSUPPORTED", "E-SYNTAX"), path
            else:
                assert all("problem" in record for record in records), path


def test_every_file_of_the_corpus_is_drawn_or_told(corpus: Path, parse: Callable[..., Any]) -> None:
    seen = {*DRAWINGS, "logicapps/pa-review-approval.json"}
    apart = ("SOURCES", "worfbench", "plan-json", "taskbench", "crewai", "n8n/broken", *UNREAD)
    for path in sorted(one for one in corpus.rglob("*") if one.is_file()):
        name = str(path.relative_to(corpus))
        if name.startswith(apart) or name in seen:
            continue
        (record,) = parse(path)
        assert "problem" not in record, name
        seen.add(name)
    assert "dot/graphviz-conventions.dot" in seen
