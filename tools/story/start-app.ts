import { join } from 'node:path'
import { lastWords, UnmetExpectationError } from '@berth/testing'
import type { AppName, RunningApp, StoryContext } from './story-context.ts'

/** Paths of the bundles from the root of the repository. */
export const appBundles: Readonly<Record<AppName, string>> = {
  advertiser: 'apps/advertiser/dist/main.js',
  'device-plugin': 'apps/device-plugin/dist/main.cjs',
  extender: 'apps/extender/dist/main.js',
  scheduler: 'apps/scheduler/dist/main.js',
}

/**
 * Starts an app from its bundle and waits until its /readyz succeeds.
 *
 * @throws UnmetExpectationError when it ends first or is not ready within a minute. The message contains the last answer of /readyz.
 */
export async function startApp(
  story: StoryContext,
  name: AppName,
  config: string,
  flags: readonly string[] = [],
): Promise<RunningApp> {
  const process = story.processes.start({
    name,
    args: [join(story.root, appBundles[name]), '--config', config, '--health-address', '127.0.0.1:0', ...flags],
    logPath: story.logPath(name),
  })
  const [, address = ''] = await process.line(/"address":"([^"]+)"[^\n]*"Serving health"/, { timeoutMs: 60_000 })
  const app: RunningApp = { process, healthUrl: `http://${address}`, config }
  let last = 'no answer'
  try {
    await story.until(`${name} to be ready`, async () => {
      const response = await fetch(`${app.healthUrl}/readyz?verbose`)
      last = await response.text()
      return response.ok ? true : undefined
    })
  } catch (cause) {
    if (!(cause instanceof UnmetExpectationError)) throw cause
    throw new UnmetExpectationError(`${name} is not ready: ${last.trim()}`, {
      cause,
      hint: lastWords(process.output()),
    })
  }
  story.apps.set(name, app)
  return app
}

/**
 * Reads a metric of an app and sums all series that have `labels`.
 *
 * @returns 0 when there is no such series.
 */
export async function readMetric(
  app: RunningApp,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(`${app.healthUrl}/metrics`)
  return sumMetric(await response.text(), name, labels)
}

/** Sums the series of a metric that have `labels` in a text of the Prometheus exposition format. */
export function sumMetric(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
