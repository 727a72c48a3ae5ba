import type { BackoffLimits } from '@berth/clock'
import { readFileSync } from 'node:fs'
import { leaseTimesFault, type WireEncoding } from '@berth/k8s-client'
import { ConfigError, loadConfig } from '@berth/process/config'
import type { ConfigSource, ExitRequest, LoadConfigOptions, LogLevel } from '@berth/process/config'
import { formatHostPort } from '@berth/process/health'
import {
  defaultLeaderElection,
  type ExtenderEntry,
  type IdleSetting,
  idleSettings,
  invalidConfiguration,
  parseDurationMs,
  type ProfileEntry,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
} from '@berth/scheduler-config'
import { stringify } from 'yaml'
import { configDefinition, type Flags } from './config-definition.ts'
import { checkFeatureGates } from './feature-gates.ts'
import { type ProgramDefaults, programDefaults } from './program.ts'

/** The Lease that a replica holds while it schedules. Times are milliseconds. */
export interface LeaseSettings {
  /** False without leader election: the Lease then only keeps a second replica idle. */
  readonly isElection: boolean
  readonly name: string
  readonly namespace: string
  readonly durationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** The HTTPS server. */
export interface SecureServing {
  /** HOST:PORT. */
  readonly address: string
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  /** Undefined: {@link Settings.kubeconfig}. */
  readonly authenticationKubeconfig: string | undefined
  /** Undefined: {@link Settings.kubeconfig}. */
  readonly authorizationKubeconfig: string | undefined
}

/** The settings of the scheduler: flags and KubeSchedulerConfiguration combined. */
export interface Settings {
  readonly kind: 'settings'
  readonly flags: Flags
  readonly logLevel: LogLevel
  /** HOST:PORT of the plain HTTP server; undefined: none. */
  readonly healthAddress: string | undefined
  /** Undefined: no HTTPS server. */
  readonly secureServing: SecureServing | undefined
  readonly kubeconfig: string | undefined
  readonly qps: number
  readonly burst: number
  /** Encoding of pods, nodes, bindings and events on the wire. */
  readonly encoding: WireEncoding
  readonly lease: LeaseSettings
  readonly backoff: BackoffLimits
  /** At least one. */
  readonly profiles: readonly ProfileEntry[]
  readonly extenders: readonly ExtenderEntry[]
  /** The keys of the file that are accepted without effect. */
  readonly idle: readonly IdleSetting[]
}

const DEFAULT_QPS = 1_000
const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'
/** Verbosity (`-v`) of kube-scheduler that corresponds to Berth's debug level. */
const DEBUG_VERBOSITY = 4

/**
 * Reads flags, environment variables and the KubeSchedulerConfiguration that --config names. Flags override the file.
 *
 * @param options - `program`: path of the program, `process.argv[1]`; see {@link programDefaults}.
 * @returns The settings, or the text that the process prints before it exits.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID, BERTH_SCHEDULER_CONFIG_POLICY
 */
export function loadSettings(
  options: LoadConfigOptions & { readonly program?: string | undefined },
): Settings | ExitRequest {
  const { argv, readFile = (path) => readFileSync(path, 'utf8') } = options
  const program = programDefaults(options.program)
  const loaded = loadConfig(configDefinition, options)
  if (loaded.kind === 'config') {
    const file = readSchedulerConfiguration(loaded.values.config, readFile)
    return combineSettings(loaded.values, file, { program, sources: loaded.sources })
  }
  const isPrinting = argv.includes('--print-config') && loaded.code === 0
  if (!isPrinting) return loaded
  const flags = loadConfig(configDefinition, { ...options, argv: argv.filter((arg) => arg !== '--print-config') })
  if (flags.kind !== 'config') return loaded
  const file = readSchedulerConfiguration(flags.values.config, readFile)
  const settings = combineSettings(flags.values, file, { program, sources: flags.sources })
  return { ...loaded, text: `${loaded.text}---\n${printSettings(settings)}` }
}

function combineSettings(
  flags: Flags,
  file: SchedulerConfiguration,
  { program, sources }: { readonly program: ProgramDefaults; readonly sources: ReadonlyMap<string, ConfigSource> },
): Settings {
  // kube-scheduler writes the values that are not set as 0 and ''.
  const { kubeconfig = '', qps: fileQps = 0, burst: fileBurst = 0, contentType = '' } = file.clientConnection ?? {}
  const qps = flags.kubeApiQps ?? (fileQps > 0 ? fileQps : DEFAULT_QPS)
  const election = withFlags(file.leaderElection ?? defaultLeaderElection, flags)
  const profiles = profilesWithName(flags, file.profiles, program)
  const isDefault = (key: keyof Flags): boolean => sources.get(key) === 'default'
  const profiling = { key: '--profiling', reason: 'there is no Go profiler' }
  return {
    kind: 'settings',
    flags,
    logLevel: isDefault('logLevel') && flags.v >= DEBUG_VERBOSITY ? 'debug' : flags.logLevel,
    healthAddress: program.servesPlainHttp || !isDefault('healthAddress') ? flags.healthAddress : undefined,
    secureServing: secureServing(flags, program),
    kubeconfig: flags.kubeconfig ?? (kubeconfig === '' ? undefined : kubeconfig),
    qps,
    burst: flags.kubeApiBurst ?? (fileBurst > 0 ? fileBurst : Math.max(1, Math.ceil(2 * qps))),
    encoding: contentType === PROTOBUF_TYPE ? 'protobuf' : 'json',
    lease: election.leaderElect
      ? leaseSettings(election, program, flags.config)
      : replicaLease(election, program, profiles),
    backoff: { initialMs: file.podInitialBackoffSeconds * 1_000, maxMs: file.podMaxBackoffSeconds * 1_000 },
    profiles,
    extenders: file.extenders,
    idle: [
      ...(flags.profiling === undefined ? [] : [profiling]),
      ...checkFeatureGates(flags.featureGates),
      ...idleSettings(file),
    ],
  }
}

function secureServing(flags: Flags, program: ProgramDefaults): SecureServing | undefined {
  const port = flags.securePort ?? program.securePort
  if (port === 0) return undefined
  return {
    address: formatHostPort({ host: flags.bindAddress, port }),
    certFile: flags.tlsCertFile,
    keyFile: flags.tlsPrivateKeyFile,
    authenticationKubeconfig: flags.authenticationKubeconfig,
    authorizationKubeconfig: flags.authorizationKubeconfig,
  }
}

type Election = typeof defaultLeaderElection

function withFlags(election: Election, flags: Flags): Election {
  return {
    ...election,
    leaderElect: flags.leaderElect ?? election.leaderElect,
    resourceName: flags.leaderElectResourceName ?? election.resourceName,
    resourceNamespace: flags.leaderElectResourceNamespace ?? election.resourceNamespace,
    leaseDuration: flags.leaderElectLeaseDuration ?? election.leaseDuration,
    renewDeadline: flags.leaderElectRenewDeadline ?? election.renewDeadline,
    retryPeriod: flags.leaderElectRetryPeriod ?? election.retryPeriod,
  }
}

function leaseSettings(election: Election, { leaseName }: ProgramDefaults, path = ''): LeaseSettings {
  const lease = {
    isElection: true,
    name: election.resourceName ?? leaseName,
    namespace: election.resourceNamespace,
    durationMs: parseDurationMs(election.leaseDuration) ?? 0,
    renewDeadlineMs: parseDurationMs(election.renewDeadline) ?? 0,
    retryPeriodMs: parseDurationMs(election.retryPeriod) ?? 0,
  }
  const fault = leaseTimesFault({ ...lease, leaseDurationMs: lease.durationMs })
  if (fault !== undefined) throw invalidConfiguration(path, [`leaderElection.${fault.field}: ${fault.reason}`])
  return lease
}

/**
 * Returns the Lease of a scheduler without leader election. Schedulers of different pods have different ones, so that they
 * can run beside each other without a configured name.
 */
function replicaLease(
  { resourceName, resourceNamespace }: Election,
  program: ProgramDefaults,
  [profile]: readonly ProfileEntry[],
): LeaseSettings {
  const schedulerName = profile?.schedulerName ?? program.schedulerName
  const name = resourceName ?? (schedulerName === program.schedulerName ? program.leaseName : schedulerName)
  const lease = { ...defaultLeaderElection, resourceName: name, resourceNamespace }
  return { ...leaseSettings(lease, program), isElection: false }
}

function profilesWithName(
  flags: Flags,
  profiles: readonly ProfileEntry[],
  program: ProgramDefaults,
): readonly ProfileEntry[] {
  const [first, ...others] = profiles
  if (first === undefined) return [{ schedulerName: flags.schedulerName ?? program.schedulerName, pluginConfig: [] }]
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
export function printSettings(settings: Settings): string {
  return stringify(effectiveConfiguration(settings))
}

/** Returns the effective KubeSchedulerConfiguration. */
export function effectiveConfiguration({
  encoding,
  qps,
  burst,
  lease,
  backoff,
  profiles,
  extenders,
  kubeconfig,
}: Settings): Readonly<Record<string, unknown>> & Pick<Settings, 'profiles' | 'extenders'> {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: {
      ...(kubeconfig !== undefined && { kubeconfig }),
      contentType: encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE,
      qps,
      burst,
    },
    leaderElection: {
      leaderElect: lease.isElection,
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
  }
}
