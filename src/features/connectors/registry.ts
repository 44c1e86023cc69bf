import { oncall } from './oncall/connector.ts';
import type { Connector } from './port.ts';
import { tracker } from './tracker/connector.ts';

/** The connectors of this program. A connector is one folder and one line here. */
export const connectors: readonly Connector[] = [tracker, oncall];
