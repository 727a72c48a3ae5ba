import type { BackoffLimits } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { leaseTimesFault } from '@berth/k8s-client'
import { ConfigError, issueSentences, loadConfig, pathText } from '@berth/process/config'
import type { ExitRequest, LoadConfigOptions, ReadFile } from '@berth/process/config'
import { parseDocument, stringify } from 'yaml'
import { z } from 'zod'
import { configDefinition, type Flags } from './config-definition.ts'
import { parseDurationMs } from './duration.ts'
import type { ExtenderEntry } from './extender-entry.ts'
import { defaultLeaderElection, kubeSchedulerConfiguration, type ProfileEntry } from './kube-scheduler-configuration.ts'
import { refuseLegacyPolicy } from './legacy-policy.ts'

/** The Lease of the leader election. Times are milliseconds. */
export interface LeaseSettings {
  readonly name: string
  readonly namespace: string
  readonly durationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** The settings of the scheduler: flags and KubeSchedulerConfiguration combined. */
export interface Settings {
  readonly kind: 'settings'
  readonly flags: Flags
  readonly kubeconfig: string | undefined
  readonly qps: number
  readonly burst: number
  /** Undefined: no leader election. */
  readonly lease: LeaseSettings | undefined
  readonly backoff: BackoffLimits
  /** At least one. */
  readonly profiles: readonly ProfileEntry[]
  readonly extenders: readonly ExtenderEntry[]
}

const fileSchema = z.strictObject(kubeSchedulerConfiguration)
type FileValues = z.output<typeof fileSchema>

const DEFAULT_QPS = 1_000

/**
 * Reads flags, environment variables and the KubeSchedulerConfiguration that --config names. Flags override the file.
 *
 * @returns The settings, or the text that the process prints before it exits.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID, BERTH_SCHEDULER_CONFIG_POLICY
 */
export function loadSettings(options: LoadConfigOptions): Settings | ExitRequest {
  const { argv, readFile = (path) => readFileSync(path, 'utf8') } = options
  const loaded = loadConfig(configDefinition, options)
  if (loaded.kind === 'config') return combineSettings(loaded.values, readFileValues(loaded.values.config, readFile))
  const isPrinting = argv.includes('--print-config') && loaded.code === 0
  if (!isPrinting) return loaded
  const flags = loadConfig(configDefinition, { ...options, argv: argv.filter((arg) => arg !== '--print-config') })
  if (flags.kind !== 'config') return loaded
  return {
    ...loaded,
    text: `${loaded.text}---\n${printSettings(combineSettings(flags.values, readFileValues(flags.values.config, readFile)))}`,
  }
}

function readFileValues(path: string | undefined, readFile: ReadFile): FileValues {
  if (path === undefined) return fileSchema.parse({})
  const text = readText(path, readFile)
  refuseLegacyPolicy(path, text)
  const document = parseDocument(text)
  const [fault] = document.errors
  if (fault !== undefined) throw invalidFile(path, [fault.message.split('\n')[0] ?? 'not valid YAML'])
  const content: unknown = document.toJS({ maxAliasCount: 100 })
  const parsed = fileSchema.safeParse(content ?? {})
  if (parsed.success) return parsed.data
  const root = z.toJSONSchema(fileSchema, { io: 'input' })
  throw invalidFile(
    path,
    issueSentences(parsed.error.issues, root as Parameters<typeof issueSentences>[1]).map(
      ({ path: key, text: reason }) => `${pathText(key) || 'the document'}: ${reason}`,
    ),
  )
}

function readText(path: string, readFile: ReadFile): string {
  try {
    return readFile(path)
  } catch (error) {
    throw invalidFile(path, [errorText(error)], error)
  }
}

function invalidFile(path: string, reasons: readonly string[], cause?: unknown): ConfigError {
  return new ConfigError(`read KubeSchedulerConfiguration ${path}: ${reasons.join('; ')}`, {
    code: 'BERTH_SCHEDULER_CONFIG_INVALID',
    hint: 'Use the keys of kubescheduler.config.k8s.io/v1.',
    cause,
  })
}

function combineSettings(flags: Flags, file: FileValues): Settings {
  const qps = flags.kubeApiQps ?? file.clientConnection?.qps ?? DEFAULT_QPS
  const election = file.leaderElection ?? defaultLeaderElection
  return {
    kind: 'settings',
    flags,
    kubeconfig: flags.kubeconfig ?? file.clientConnection?.kubeconfig,
    qps,
    burst: flags.kubeApiBurst ?? file.clientConnection?.burst ?? Math.max(1, Math.ceil(2 * qps)),
    lease: (flags.leaderElect ?? election.leaderElect) ? leaseSettings(election, flags.config) : undefined,
    backoff: { initialMs: file.podInitialBackoffSeconds * 1_000, maxMs: file.podMaxBackoffSeconds * 1_000 },
    profiles: profilesWithName(flags, file.profiles),
    extenders: file.extenders,
  }
}

function leaseSettings(election: typeof defaultLeaderElection, path = ''): LeaseSettings {
  const lease = {
    name: election.resourceName,
    namespace: election.resourceNamespace,
    durationMs: parseDurationMs(election.leaseDuration) ?? 0,
    renewDeadlineMs: parseDurationMs(election.renewDeadline) ?? 0,
    retryPeriodMs: parseDurationMs(election.retryPeriod) ?? 0,
  }
  const fault = leaseTimesFault({ ...lease, leaseDurationMs: lease.durationMs })
  if (fault !== undefined) throw invalidFile(path, [`leaderElection.${fault.field}: ${fault.reason}`])
  return lease
}

function profilesWithName(flags: Flags, profiles: readonly ProfileEntry[]): readonly ProfileEntry[] {
  const [first, ...others] = profiles
  if (first === undefined) return [{ schedulerName: flags.schedulerName ?? 'berth-scheduler', pluginConfig: [] }]
  if (flags.schedulerName === undefined) return profiles
  if (others.length > 0) {
    throw new ConfigError(`apply --scheduler-name ${flags.schedulerName}: the configuration has several profiles`, {
      code: 'BERTH_SCHEDULER_CONFIG_INVALID',
      hint: 'Omit the flag, because each profile has its own schedulerName.',
    })
  }
  return [{ ...first, schedulerName: flags.schedulerName }]
}

/** Formats the effective KubeSchedulerConfiguration as YAML. */
function printSettings({ qps, burst, lease, backoff, profiles, extenders, kubeconfig }: Settings): string {
  return stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { ...(kubeconfig !== undefined && { kubeconfig }), qps, burst },
    leaderElection:
      lease === undefined
        ? { leaderElect: false }
        : {
            leaderElect: true,
            resourceName: lease.name,
            resourceNamespace: lease.namespace,
            leaseDuration: `${lease.durationMs}ms`,
            renewDeadline: `${lease.renewDeadlineMs}ms`,
            retryPeriod: `${lease.retryPeriodMs}ms`,
          },
    podInitialBackoffSeconds: backoff.initialMs / 1_000,
    podMaxBackoffSeconds: backoff.maxMs / 1_000,
    profiles,
    extenders,
  })
}
