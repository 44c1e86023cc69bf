import { expect, it } from 'vitest';
import { kindOf } from './question-kind.ts';

it.each([
  ['Where is the lease renewed?', 'where'],
  ['How does the worker recover?', 'how'],
  ['What calls renew?', 'callers'],
  ['Who knows the queue best?', 'owners'],
  ['What would it touch if I changed the queue?', 'impact'],
  ['What would be affected if the queue changed?', 'impact'],
  ['Why was the limit raised?', 'history'],
  ['Who last touched the limit?', 'history'],
  ['Why does a retry wait for a minute?', 'history'],
  ['Why do I get 301 for //foo?', 'how'],
  ['Why am I getting a 404?', 'how'],
  ['why does the client throw on a 404 response', 'how'],
  ['Why does the server give me Cannot GET /?', 'how'],
  ['Why did we change the 404 page?', 'history'],
  ['Why was throwing on a 404 added?', 'history'],
  ['What changed before the outage?', 'incident'],
  ['If I rename boxWrap, what would I have to change?', 'impact'],
  ['Which getters go through splitHeader?', 'callers'],
  ['Who dropped colorama, and why?', 'history'],
  ['What problem made somebody move the lock?', 'history'],
  ['What was broken that made someone add the lock?', 'history'],
  ['Why does the client return 206, and since when?', 'history'],
  ['What fixed the race of the two workers?', 'history'],
  ['Since which version is the limit configurable?', 'history'],
  ['Who has been working on the cache lately?', 'owners'],
  ['Who made the last releases?', 'owners'],
  ['Who wrote most of the queue and who has been changing it lately?', 'owners'],
  ['Which repositories do you know?', 'service'],
  ['diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n', 'impact'],
  ['fix(router): match the root', 'other'],
] as const)('%s asks for %s', (prompt, kind) => {
  expect(kindOf(prompt, prompt.slice(0, 400))).toBe(kind);
});
