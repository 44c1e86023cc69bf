import { oauthPaths } from '../../features/oauth/endpoints.ts';
import { el } from './kit/element.ts';
import { foreignText } from './kit/foreign-text.ts';
import { actions, button, form, textField } from './kit/form.ts';
import { card, type Page } from './kit/layout.ts';

export interface DeviceView {
  readonly csrf: string;
  readonly userCode?: string | undefined;
  readonly fault?: string | undefined;
}

/** Where the code of a device is typed (RFC 8628 section 3.3). A prefilled one waits for a click, too. */
export function devicePage({ csrf, userCode, fault }: DeviceView): Page {
  return {
    title: 'Connect a device',
    content: card(
      'Connect a device',
      el('p', null, 'Type the code that your device or terminal shows. Type no code that somebody sent you.'),
      form(
        { action: oauthPaths.device, csrf, faults: fault === undefined ? undefined : { user_code: fault } },
        textField({
          name: 'user_code',
          label: 'Code',
          hint: 'Eight letters, such as BCDF-GHJK.',
          type: 'text',
          autocomplete: 'off',
          class: 'code',
          value: userCode === undefined ? undefined : foreignText(userCode, 20),
          fault,
        }),
        actions(button('Go on', { primary: true })),
      ),
    ),
  };
}

/** The end of what has no way back by itself. */
export function deviceDonePage(clientName: string | undefined): Page {
  const name = foreignText(clientName ?? '', 80) || 'your client';
  return {
    title: 'Connected',
    content: card('Connected', el('p', null, `You can close this window and go back to ${name}.`)),
  };
}
