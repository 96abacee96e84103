// `harness memory briefing <harness>`: exactly what the harness would receive now. A preview exposes nothing.
import { callDaemon } from '../daemon-call.js';
import type { Session } from '../session.js';

export const runMemoryBriefing = async (session: Session, harness: string): Promise<void> => {
  const reply = await callDaemon(session, ({ memory }) => memory.getBriefing({ harness }));
  if (session.json) {
    const { text, empty, maxChars, bytes, provider, providerState, memoryBriefing } = reply;
    const content = JSON.parse(reply.structuredJson) as object;
    return session.print(
      JSON.stringify({
        ...content,
        text,
        empty,
        bytes,
        max_chars: maxChars,
        provider,
        provider_state: providerState,
        memory_briefing: memoryBriefing,
      }),
    );
  }
  session.print(reply.text);
  if (reply.empty) session.notice('the briefing is empty: nothing is known yet, or the harness works outside every repository');
};
