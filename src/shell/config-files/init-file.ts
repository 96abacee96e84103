// The first configuration `harness init` writes: it loads as it stands, and each example in it works once its `#` are removed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';

const TEXT = `# Harness: which agents run, and what is remembered of their runs.
#
# \`harness config check\` tells what is wrong with this file, \`harness reload\` puts it in force.
# A file with an error changes nothing that is running.
# Paths may begin with ~; relative ones start at this file's directory. Durations: 300ms, 2h45m, 90d.

# --- What runs -----------------------------------------------------------------------------------------------------
# A harness with a prompt is a one-shot. Start it with \`harness trigger triage\`, or by a schedule.
#
# [harness.triage]
# harness = "claude-code"             # or "codex", "command", or an adapter of your own
# prompt = "Look at the newest failing test and say why it fails."
# workdir = "~/src/api"               # inside a git repository, so that its runs are remembered
# auto_accept = true                  # let the client act without asking
# max_turns = 30                      # claude-code only
# timeout = "1h"
# description = "Explains failing tests"
#
# A longer prompt lives in a file of its own, which is read again at every start.
#
# [harness.upgrade]
# harness = "codex"
# prompt_file = "prompts/upgrade.md"
# workdir = "~/src/api"
# env_file = "upgrade.env"            # KEY=VALUE lines; keep it at mode 0600
# secrets_env = ["OPENAI_API_KEY"]    # the only variables taken from env_file
# env = { CI = "1" }
#
# A command is run without a shell; {{prompt}} stands for the prompt.
#
# [harness.nightly-report]
# harness = "command"
# argv = ["/usr/local/bin/report", "--note", "{{prompt}}"]
# prompt = "Weekly numbers"
# keep_runs = 20                      # runs whose log files are kept
# schedule = "CRON_TZ=Europe/Oslo 30 3 * * 1-5"
# catch_up = true                     # make good what was missed while nobody was there
# on_overlap = "queue"                # "skip", "queue" or "replace"
#
# Without a prompt it is a resident, on a terminal of its own: \`harness attach pair\`.
#
# [harness.pair]
# harness = "claude-code"
# args = ["--continue"]
# workdir = "~/src/api"
# enabled = true                      # starts with the daemon
# restart = "unless-stopped"          # "always", "unless-stopped", "on-failure" or "no"
# operating_hours = "Mon-Fri 08:00-18:00"
#
# More harnesses may stand in files of their own: every *.toml in this directory.
#
# [server]
# harness_d = "harness.d"

# --- What is remembered --------------------------------------------------------------------------------------------
# Every finished run inside a repository becomes an episode: redacted, searchable, forgotten in time.
# Without these tables the built-in provider keeps episodes for 90 days.
#
# [memory]
# provider = "builtin"
#
# [memory.episodes]
# retention = "90d"                   # 1d to 3650d
# summary = true                      # needs [model_api] utility_model
# provider_timeout = "2s"             # how long a recall may take
# excerpt_chars = 600                 # how much of the final answer is kept, 0 to 2000
#
# A harness with memory_record = false keeps its runs out of memory; with record_trace = false not even their traces are
# stored. Its briefings are bounded by briefing_max_chars, 500 to 4000.

# --- The model server ----------------------------------------------------------------------------------------------
# Any OpenAI-compatible API. Without this table no model is ever called, and search is by words alone.
#
# [model_api]
# base_url = "http://127.0.0.1:4000/v1"
# env_file = "model-api.env"          # must be yours, mode 0600
# api_key = "\${MODEL_API_KEY}"        # a name in env_file; a key itself is refused
# utility_model = "small-model"
# embedding_model = "embedding-model" # a concrete id, never an alias that moves

# --- What is kept --------------------------------------------------------------------------------------------------
# [ledger]                            # one record a run
# retention = "90d"
# max_mb = 256
#
# [trace]                             # what sessions did
# retention = "30d"
# max_mb = 1024
# verify = ["bazel test"]             # further commands that count as checking the work
#
# [budget]
# max_concurrent = 4                  # one-shots at once; no limit when unset

# --- How clients are called ----------------------------------------------------------------------------------------
# Override a field of a built-in adapter, or start a new one from it.
#
# [adapter.claude-code]
# executable = "~/bin/claude"
#
# [adapter.careful]
# extends = "claude-code"
# env = { MAX_THINKING_TOKENS = "8000" }
`;

export const initFile = (): string => TEXT;

/** Writes the file where there is none yet; Left says why nothing was written. */
export const writeInitFile = (path: string): E.Either<string, void> => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, TEXT, { flag: 'wx', mode: 0o600 });
    return E.right(undefined);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return E.left(code === 'EEXIST' ? `${path} exists already and was left as it is` : `${path} cannot be written (${code})`);
  }
};
