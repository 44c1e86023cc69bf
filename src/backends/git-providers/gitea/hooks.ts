import { hookBodyLimit, ignored, readPush } from '../hook-push.ts';
import { deliveryId, headerOf, verifyHex, verifyHubSignature } from '../hook-signature.ts';
import type { HookReader } from '../port.ts';

/** Forgejo sends these headers too. */
export const giteaHooks: HookReader = {
  bodyLimit: hookBodyLimit,
  /** Verifies the header that GitHub uses as well; old servers send only their own, in bare hex. */
  verify(delivery, secret) {
    const { headers, body } = delivery;
    if (headers['x-hub-signature-256'] !== undefined) return verifyHubSignature(delivery, secret);
    return verifyHex(headerOf(headers, 'x-gitea-signature'), body, secret);
  },
  deliveryIdOf: (delivery) => deliveryId(delivery, ['x-gitea-delivery', 'x-github-delivery']),
  read(delivery) {
    const name = headerOf(delivery.headers, 'x-gitea-event') ?? headerOf(delivery.headers, 'x-github-event');
    return name === 'push' ? readPush(delivery) : ignored(name);
  },
};
