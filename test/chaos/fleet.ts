// What the daemon of a campaign has to do: agents that edit and fail tests, commands, a resident, a schedule. The agent is a few
// lines of shell, so that a round is over before a coffee is cold.
import type { Rig } from '../support/rig.js';

export const AGENTS = ['a', 'b', 'c'] as const;

const AGENT = `#!/bin/sh
# Speaks claude's stream-json: --session-id ID -- SECONDS
say() { printf '%s\\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"'$2'","cwd":"'$PWD'","model":"scripted-1","tools":[]}'
say '{"type":"assistant","session_id":"'$2'","message":{"id":"m1","model":"scripted-1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"'$PWD'/a.txt","old_string":"a","new_string":"b"}}],"usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null}'
say '{"type":"user","session_id":"'$2'","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"updated","is_error":false}]},"parent_tool_use_id":null}'
sleep $4
say '{"type":"result","subtype":"success","session_id":"'$2'","is_error":false,"num_turns":1,"result":"done with ledger work","total_cost_usd":0.01,"usage":{"input_tokens":1,"output_tokens":1}}'
`;

/** Three agents, a command that fires every second, and a resident that is always there. */
export const configureFleet = (rig: Rig): void => {
  const agent = rig.write('agent.sh', AGENT, 0o700);
  const repo = rig.repo('api');
  const harnesses = AGENTS.map(
    (name, index) => `[harness.${name}]\nharness = "scripted"\nworkdir = ${JSON.stringify(repo)}\nprompt = "0.0${index * 3}"\n`,
  );
  rig.configure(`[adapter.scripted]
extends = "claude-code"
executable = ${JSON.stringify(agent)}
one_shot = ["--session-id", "{{session_id}}", "--", "{{prompt}}"]

${harnesses.join('\n')}
[harness.tick]
harness = "command"
argv = ["true"]
schedule = "* * * * * *"
on_overlap = "queue"

[harness.pair]
harness = "command"
argv = ["sh", "-c", "trap '' HUP; sleep 600 & wait"]
enabled = true
`);
};
