import type { OAuthPages } from '../../../features/oauth/pages.ts';
import { renderPage } from '../kit/html/layout.ts';
import { errorPage } from '../kit/requests/error-page.ts';

/** The pages that are sent outside of this surface, with `pageHeaders`. */
export const oauthPages: OAuthPages = {
  error: (view) => renderPage(errorPage(view)),
};
