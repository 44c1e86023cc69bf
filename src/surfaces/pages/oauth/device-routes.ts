import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatUserCode, parseUserCode } from '../../../features/oauth/devices/user-code.ts';
import { oauthPaths } from '../../../features/oauth/endpoints.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import type { PageContext } from '../pages-deps.ts';
import { type DeviceView, deviceDonePage, devicePage } from './device-page.ts';

const purpose = 'device';

const rule: FormRule = { purpose: () => purpose, page: () => oauthPaths.device };

/**
 * Registers the page where a person enters the code of a device (RFC 8628 section 3.3), which leads to the
 * authorization page, and the final page.
 */
export function deviceRoutes(server: FastifyInstance, { oauth, tokens }: PageContext): void {
  // A code in the URL only fills the field (section 3.3.1); the person must submit it.
  server.get(oauthPaths.device, { schema: { hide: true } }, (request, reply) => {
    const userCode = parseUserCode(textParameter(request.query, 'user_code') ?? '');
    const denied = textParameter(request.query, 'denied') !== undefined;
    return show(request, reply, {
      userCode: userCode && formatUserCode(userCode),
      error: denied ? 'You denied access. The device will be notified.' : undefined,
    });
  });

  server.post(
    oauthPaths.device,
    { schema: { hide: true }, config: { form: rule } },
    async (request, reply) => {
      const text = fieldsOf(request)['user_code'] ?? '';
      const typed = { text, browser: visitorOf(request).formKey, address: request.ip };
      const next = await oauth.enterDeviceCode(typed, request.raw, reply.raw);
      if (next !== undefined) return seeOther(reply, next);
      const error =
        'This code is not valid: it may be mistyped, expired or already used. Check the code on the device.';
      return show(request, reply, { error }, 400);
    },
  );

  server.get(oauthPaths.deviceDone, { schema: { hide: true } }, async (request, reply) => {
    const clientId = textParameter(request.query, 'client') ?? '';
    return sendPage(reply, deviceDonePage(await oauth.clientName(clientId)));
  });

  function show(
    request: FastifyRequest,
    reply: FastifyReply,
    view: Omit<DeviceView, 'csrf'>,
    status = 200,
  ): FastifyReply {
    const csrf = tokens.issue(visitorOf(request), purpose);
    return sendPage(reply, devicePage({ ...view, csrf }), { status });
  }
}
