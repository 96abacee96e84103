// Memory keys of a harness that contradict one another or do nothing (SPEC-0030 REQ-8, REQ-16).
import type { ConfigError, ConfigWarning } from './errors.js';
import { errorAt, warningAt } from './section.js';
import type { HarnessDraft } from './tables/harness.js';

export const checkMemoryKeys = ({ section, values }: HarnessDraft): readonly ConfigError[] =>
  values.memory_record === true && values.record_trace === false
    ? [errorAt(section, 'conflict', 'memory_record', '= true does nothing beside record_trace = false: an episode is made from the trace')]
    : [];

export const warnMemoryKeys = ({ section, values }: HarnessDraft): readonly ConfigWarning[] => [
  ...(values.untrusted_inline === true
    ? [warningAt(section, 'untrusted_inline', 'lets text from outside into the prompt, and its episodes are marked untrusted_input')]
    : []),
  ...(values.memory_briefing === true
    ? [warningAt(section, 'memory_briefing', 'does not change the prompt in this version: a briefing is made on request only')]
    : []),
  ...(values.memory_record === true && values.harness === 'command' && values.transcripts === undefined
    ? [
        warningAt(
          section,
          'memory_record',
          'has no effect on harness = "command": its output is not read as a trace, unless "transcripts" says whose it is',
        ),
      ]
    : []),
];
