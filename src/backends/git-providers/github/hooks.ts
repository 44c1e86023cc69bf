import { z } from 'zod';
import { hookBodyLimit, ignored, keyOf, readBody, readPush, repositoryShape } from '../hook-push.ts';
import { deliveryId, headerOf, verifyHubSignature } from '../hook-signature.ts';
import type { HookReader } from '../port.ts';

const installation = z.object({ id: z.int().positive() });
const repositoryEvent = z.object({ repository: repositoryShape, installation: installation.optional() });
const installationEvent = z.object({ installation });

export const githubHooks: HookReader = {
  bodyLimit: hookBodyLimit,
  verify: verifyHubSignature,
  deliveryIdOf: (delivery) => deliveryId(delivery, ['x-github-delivery']),
  read(delivery) {
    const name = headerOf(delivery.headers, 'x-github-event');
    if (name === 'push') return readPush(delivery);
    if (name === 'repository') {
      const event = readBody(delivery.body, repositoryEvent);
      const installationId = event.installation === undefined ? undefined : String(event.installation.id);
      return { kind: 'repository', repository: keyOf(event.repository), installationId };
    }
    if (name === 'installation' || name === 'installation_repositories') {
      const event = readBody(delivery.body, installationEvent);
      return { kind: 'installation', installationId: String(event.installation.id) };
    }
    return ignored(name);
  },
};
