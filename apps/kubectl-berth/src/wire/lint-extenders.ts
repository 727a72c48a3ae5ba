import { type ExtenderEntry, parseDurationMs } from '@berth/scheduler-config'

/** A finding about one extender. An error makes the wiring unsafe or useless. */
export interface WiringFinding {
  readonly severity: 'error' | 'warning'
  /** Path of the key. */
  readonly path: string
  readonly message: string
}

/** The extender answers a bind call within 1.5 s. */
const MIN_TIMEOUT_MS = 1_600
/** kube-scheduler waits for the extender in its serial cycle. */
const MAX_TIMEOUT_MS = 5_000
const LOOPBACK = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/

/** Checks the extenders of a KubeSchedulerConfiguration, with defaults filled in. Empty: nothing to change. */
export function lintExtenders(extenders: readonly ExtenderEntry[]): readonly WiringFinding[] {
  return extenders.flatMap((entry, i) =>
    [...lintCalls(entry), ...lintResources(entry), ...lintTls(entry)].map(({ path, ...finding }) => ({
      ...finding,
      path: `extenders[${i}].${path}`,
    })),
  )
}

function lintCalls(entry: ExtenderEntry): readonly WiringFinding[] {
  const findings: WiringFinding[] = []
  if (!entry.nodeCacheCapable) {
    const message = 'kube-scheduler sends whole nodes, about 20 KiB for each: set it to true'
    findings.push({ severity: 'error', path: 'nodeCacheCapable', message })
  }
  if (entry.filterVerb === '') {
    findings.push({ severity: 'error', path: 'filterVerb', message: 'no rule of the extender runs: set it to filter' })
  }
  const timeoutMs = parseDurationMs(entry.httpTimeout) ?? 0
  if (timeoutMs < MIN_TIMEOUT_MS) {
    const message = `${entry.httpTimeout} is shorter than the extender needs for a slow bind: set it to 2s`
    findings.push({ severity: 'warning', path: 'httpTimeout', message })
  } else if (timeoutMs >= MAX_TIMEOUT_MS) {
    const message = `an extender that hangs stops kube-scheduler for ${entry.httpTimeout} at each pod: set it to 2s`
    findings.push({ severity: 'warning', path: 'httpTimeout', message })
  }
  return findings
}

function lintResources({ managedResources, ignorable, bindVerb }: ExtenderEntry): readonly WiringFinding[] {
  const findings: WiringFinding[] = []
  if (managedResources.length === 0) {
    const message = 'the extender is called for every pod, and every pod waits while it is down: list its resources'
    findings.push({ severity: 'warning', path: 'managedResources', message })
  }
  for (const [i, { name, ignoredByScheduler }] of managedResources.entries()) {
    if (!ignoredByScheduler) continue
    if (bindVerb === '') {
      const message = `two pods could get the last unit of ${name}: set bindVerb to bind, and bind to true in the extender`
      findings.push({ severity: 'error', path: `managedResources[${i}].ignoredByScheduler`, message })
    }
    if (ignorable) {
      const message = `nothing counts ${name} while the extender is down: set it to false`
      findings.push({ severity: 'error', path: 'ignorable', message })
    }
  }
  if (ignorable && managedResources.some(({ ignoredByScheduler }) => !ignoredByScheduler)) {
    const message =
      'pods are placed without the rules of the extender while it is down: set it to false to enforce them'
    findings.push({ severity: 'warning', path: 'ignorable', message })
  }
  return findings
}

/** Returns why kube-scheduler should not call the extender at this URL; undefined if it may. */
export function urlProblem(url: string): string | undefined {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || LOOPBACK.test(hostname)) return undefined
  return 'any host on the network can answer or call: use https'
}

function lintTls({ urlPrefix, tlsConfig }: ExtenderEntry): readonly WiringFinding[] {
  const message = urlProblem(urlPrefix)
  if (message !== undefined) return [{ severity: 'error', path: 'urlPrefix', message }]
  if (urlPrefix.startsWith('http:')) return []
  const findings: WiringFinding[] = []
  if (tlsConfig?.insecure === true) {
    const message = 'kube-scheduler does not verify the extender: remove it and set caFile'
    findings.push({ severity: 'error', path: 'tlsConfig.insecure', message })
  }
  if ((tlsConfig?.certFile ?? tlsConfig?.certData) === undefined) {
    const message = 'the extender refuses callers without a client certificate: set certFile and keyFile'
    findings.push({ severity: 'error', path: 'tlsConfig', message })
  }
  return findings
}
