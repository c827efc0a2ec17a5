"""What laws are tried on: JSON data and the values of the model."""

from hypothesis import strategies as st

from assent.model import (
    Allow,
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Command,
    DeletePresentation,
    Deny,
    EditPresentation,
    Effect,
    EffectState,
    Evidence,
    Grant,
    GrantId,
    MovePresentation,
    Outcome,
    PatchPresentation,
    Pending,
    PendingId,
    Presentation,
    Preview,
    ReadPresentation,
    Reject,
    Respond,
    Ruling,
    Scope,
    Shown,
    ToolCall,
    Verdict,
    Wider,
    WritePresentation,
    pending_id,
)

text = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=12)
objects = st.dictionaries(text, values)

names = st.text("abc/.", max_size=6)
times = st.floats(0, 1e10)
calls = st.builds(
    ToolCall,
    run=names,
    id=names,
    tool_name=text,
    args=objects,
    agents=st.lists(names, max_size=2).map(tuple),
    group_id=st.none() | names,
)
requests = st.builds(
    ApprovalRequest,
    description=text,
    fingerprint=objects,
    reason=text,
    group_id=st.none() | names,
    covers=text,
    wider=st.lists(st.builds(Wider, name=names, description=text, fingerprint=objects), max_size=2).map(tuple),
)
general = st.builds(
    Presentation,
    type=st.sampled_from(["text", "diff", "file_content", "command", "structured"]),
    description=text,
    content=text,
    language=st.none() | names,
    full_content=st.none() | text,
    command=st.none() | st.from_type(Command),
)
files: st.SearchStrategy[Shown] = st.one_of(
    st.from_type(WritePresentation),
    st.from_type(EditPresentation),
    st.from_type(PatchPresentation),
    st.from_type(ReadPresentation),
    st.from_type(DeletePresentation),
    st.from_type(MovePresentation),
)
presentations: st.SearchStrategy[Shown] = general | files
previews = st.builds(
    Preview,
    presentation=presentations,
    evidence=st.lists(st.builds(Evidence, subject=names, facts=objects), max_size=2).map(tuple),
)
pendings = st.builds(
    lambda call, request, preview, created, expires: Pending(
        id=pending_id(call),
        call=call,
        request=request,
        preview=preview,
        digest=call.digest,
        created=created,
        expires=expires,
    ),
    calls,
    requests,
    previews,
    times,
    st.none() | times,
)
scopes = st.sampled_from(Scope)
decisions: st.SearchStrategy[ApprovalDecision] = st.one_of(
    st.builds(
        Approve,
        override_args=st.none() | objects,
        scope=scopes,
        covers=names,
        every_agent=st.booleans(),
        note=text,
        by=names,
    ),
    st.builds(Reject, note=text, stop=st.booleans(), scope=scopes, covers=names, by=names),
    st.builds(Respond, result=values, note=text, by=names),
)
grants = st.builds(
    Grant,
    id=names.map(GrantId),
    operation=text,
    tool_name=names,
    description=text,
    allow=st.booleans(),
    scope=scopes,
    run=st.none() | names,
    agents=st.none() | st.lists(names, max_size=2).map(tuple),
    by=names,
    at=times,
    note=text,
)

reasons = st.text(max_size=5)
verdicts: st.SearchStrategy[Verdict] = st.one_of(
    st.builds(Allow, reason=reasons),
    st.builds(ApprovalRequest, description=reasons),
    st.builds(Deny, reason=reasons, code=names),
)
rulings = st.builds(
    Ruling,
    pending=names.map(PendingId),
    outcome=st.sampled_from(Outcome),
    by=names,
    at=times,
    decision=st.none() | decisions,
    detail=text,
)
effects = st.builds(
    Effect,
    pending=names.map(PendingId),
    state=st.sampled_from(EffectState),
    started=times,
    ended=st.none() | times,
    detail=text,
)
