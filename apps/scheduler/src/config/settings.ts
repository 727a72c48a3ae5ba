import type { BackoffLimits } from '@berth/clock'
import { readFileSync } from 'node:fs'
import { leaseTimesFault } from '@berth/k8s-client'
import { ConfigError, loadConfig } from '@berth/process/config'
import type { ExitRequest, LoadConfigOptions } from '@berth/process/config'
import {
  defaultLeaderElection,
  type ExtenderEntry,
  invalidConfiguration,
  parseDurationMs,
  type ProfileEntry,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
} from '@berth/scheduler-config'
import { stringify } from 'yaml'
import { configDefinition, type Flags } from './config-definition.ts'

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
  if (loaded.kind === 'config')
    return combineSettings(loaded.values, readSchedulerConfiguration(loaded.values.config, readFile))
  const isPrinting = argv.includes('--print-config') && loaded.code === 0
  if (!isPrinting) return loaded
  const flags = loadConfig(configDefinition, { ...options, argv: argv.filter((arg) => arg !== '--print-config') })
  if (flags.kind !== 'config') return loaded
  return {
    ...loaded,
    text: `${loaded.text}---\n${printSettings(combineSettings(flags.values, readSchedulerConfiguration(flags.values.config, readFile)))}`,
  }
}

function combineSettings(flags: Flags, file: SchedulerConfiguration): Settings {
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
  if (fault !== undefined) throw invalidConfiguration(path, [`leaderElection.${fault.field}: ${fault.reason}`])
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
