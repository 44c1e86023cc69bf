import { askPages } from '../ask/ask-pages.ts';
import { connectPages } from '../connect/connect-pages.ts';
import { connectionPages } from '../connections/connection-pages.ts';
import { entityPages } from '../entities/entity-pages.ts';
import { filePages } from '../files/file-pages.ts';
import { homePages } from '../home/home-pages.ts';
import { repositoryPages } from '../repositories/repository-pages.ts';
import { searchPages } from '../search/search-pages.ts';
import { settingsPages } from '../settings/settings-pages.ts';
import { systemPages } from '../system/system-pages.ts';
import type { AppPage } from './app-page.ts';

/**
 * All pages of an organization. Pages that are not listed are not served; the navigation, the admission and the tests
 * of roles and organizations read this list.
 */
export const appPages: readonly AppPage[] = [
  ...homePages,
  ...askPages,
  ...repositoryPages,
  ...filePages,
  ...searchPages,
  ...entityPages,
  ...settingsPages,
  ...connectPages,
  ...connectionPages,
  ...systemPages,
];
