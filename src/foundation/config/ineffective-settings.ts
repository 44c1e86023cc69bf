import { type SettingName, settingNames, settings } from './settings.ts';
import type { ShownSettings } from './show-settings.ts';

/** Settings that somebody gave a value and that have no effect yet, in the order of `config show`. */
export function ineffectiveSettings(shown: ShownSettings): readonly SettingName[] {
  return settingNames.filter((name) => {
    const { origin } = shown[name];
    return !settings[name].effective && origin !== 'default' && origin !== 'unset';
  });
}
