import { oauthPaths } from '../../../features/oauth/endpoints.ts';
import { actions, button, form, textField } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { card, type Page } from '../kit/html/layout.ts';

export interface DeviceView {
  readonly csrf: string;
  readonly userCode?: string | undefined;
  readonly error?: string | undefined;
}

/**
 * The page where a person enters the code of a device (RFC 8628 section 3.3). A prefilled code also needs a click.
 */
export function devicePage({ csrf, userCode, error }: DeviceView): Page {
  return {
    title: 'Connect a device',
    content: card(
      'Connect a device',
      el(
        'p',
        null,
        'Enter the code that your device or terminal shows. Do not enter a code that somebody sent you.',
      ),
      form(
        { action: oauthPaths.device, csrf, errors: error === undefined ? undefined : { user_code: error } },
        textField({
          name: 'user_code',
          label: 'Code',
          hint: 'Eight letters, such as BCDF-GHJK.',
          type: 'text',
          autocomplete: 'off',
          class: 'code',
          value: userCode === undefined ? undefined : foreignText(userCode, 20),
          error,
        }),
        actions(button('Continue', { primary: true })),
      ),
    ),
  };
}

/** The last page of a device sign-in, which has no redirect back. */
export function deviceDonePage(clientName: string | undefined): Page {
  const name = foreignText(clientName ?? '', 80) || 'your client';
  return {
    title: 'Connected',
    content: card('Connected', el('p', null, `You can close this window and go back to ${name}.`)),
  };
}
