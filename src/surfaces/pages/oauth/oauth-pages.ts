import type { OAuthPages } from '../../../features/oauth/pages.ts';
import { errorPage } from '../kit/error-page.ts';
import { renderPage } from '../kit/layout.ts';

/** The pages that are sent outside of this surface, with `pageHeaders`. */
export const oauthPages: OAuthPages = {
  error: (view) => renderPage(errorPage(view)),
};
