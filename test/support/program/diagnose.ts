import type { CheckId, CheckResult, DoctorReport } from '../../../src/features/doctor/mcp/report.ts';
import { type DoctorOptions, runChecks } from '../../../src/features/doctor/mcp/run-checks.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import {
  challenged,
  type InstanceRoutes,
  resourceMetadata,
  resourcePath,
  serverMetadata,
  serverPath,
  startMcpInstance,
} from '../../standins/mcp-instance.ts';

/** Runs the checks of `doctor mcp` on an address in this process. */
export async function diagnose(url: string, options: Partial<DoctorOptions> = {}): Promise<DoctorReport> {
  const http = createHttpClient({ allowHosts: [] });
  const signal = AbortSignal.timeout(15_000);
  try {
    return await runChecks({ http, target: new URL(url), signal, now: Date.now, ...options });
  } finally {
    await http.close();
  }
}

export async function diagnoseBroken(
  broken: InstanceRoutes,
  options?: Partial<DoctorOptions>,
): Promise<DoctorReport> {
  await using instance = await startMcpInstance(broken);
  return await diagnose(instance.mcpUrl, options);
}

export function checkOf(report: DoctorReport, id: CheckId): CheckResult {
  const check = report.checks.find((one) => one.id === id);
  if (check === undefined) throw new Error(`no check ${id}`);
  return check;
}

type Changes = (origin: string) => Record<string, unknown>;

/** Routes with changed protected-resource metadata. */
export const resource = (changes: Changes): InstanceRoutes => ({
  [`${resourcePath}/mcp`]: (origin) => ({ status: 200, body: resourceMetadata(origin, changes(origin)) }),
});

/** Routes with changed authorization-server metadata. */
export const server = (changes: Changes): InstanceRoutes => ({
  [serverPath]: (origin) => ({ status: 200, body: serverMetadata(origin, changes(origin)) }),
});

/** Routes with another challenge; `metadata` is the URL that it should contain. */
export const challenge = (header: (metadata: string) => string): InstanceRoutes => ({
  '/mcp': (origin) => challenged(header(`${origin}${resourcePath}/mcp`)),
});
