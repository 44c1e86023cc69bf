import type { OAuthPages } from '../../features/oauth/pages.ts';
import { errorPage } from './kit/error-page.ts';
import { renderPage } from './kit/layout.ts';

/** What the authorization server shows by itself. Its answers carry `pageHeaders`. */
export const oauthPages: OAuthPages = {
  error: (view) => renderPage(errorPage(view)),
};
