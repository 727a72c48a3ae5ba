import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { realApiServerBinaries } from '../real-api-server/real-api-server.ts'
import { type ServerProcess, startServerProcess } from '../real-api-server/server-process.ts'
import type { KeyPair } from './certificates.ts'

/** The extender that a kube-scheduler calls. */
export interface CalledExtender {
  readonly port: number
  /** Certificate of the authority of the extender. */
  readonly ca: string
  readonly caller: KeyPair
  /** Further keys of the entry in `extenders`. They replace the defaults. */
  readonly entry?: Readonly<Record<string, unknown>>
}

/** Options of {@link startKubeScheduler}. */
export interface KubeSchedulerOptions {
  /** Folder for its files. */
  readonly dir: string
  readonly kubeconfig: string
  readonly extender?: CalledExtender
  /** Default: the one that `e2e/node-image/build-node-image` builds. */
  readonly program?: string
  /** Further keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Port for health and metrics, whose callers it authenticates with its kubeconfig, as in a pod. Default: none. */
  readonly securePort?: number
}

/** Starts a real kube-scheduler that calls an extender over mutual TLS. */
export function startKubeScheduler(options: KubeSchedulerOptions): ServerProcess {
  const { dir, kubeconfig, extender, config = {}, securePort = 0 } = options
  const program = options.program ?? join(realApiServerBinaries() ?? '', 'kube-scheduler')
  if (!existsSync(program)) throw new Error('kube-scheduler is missing; run e2e/node-image/build-node-image')
  const kubeconfigFile = join(dir, 'kube-scheduler.kubeconfig')
  writeFileSync(kubeconfigFile, kubeconfig, { mode: 0o600 })
  const file = join(dir, 'kube-scheduler.yaml')
  writeFileSync(
    file,
    stringify({
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: { kubeconfig: kubeconfigFile, qps: 10_000, burst: 20_000 },
      leaderElection: { leaderElect: false },
      ...(extender !== undefined && { extenders: [entryOf(dir, extender)] }),
      ...config,
    }),
    { mode: 0o600 },
  )
  const authentication =
    securePort === 0
      ? []
      : [`--authentication-kubeconfig=${kubeconfigFile}`, `--authorization-kubeconfig=${kubeconfigFile}`]
  const flags = ['--config', file, `--secure-port=${securePort}`, ...authentication, '-v=2']
  return startServerProcess(program, flags, join(dir, 'kube-scheduler.log'))
}

function entryOf(dir: string, { port, ca, caller, entry = {} }: CalledExtender): Readonly<Record<string, unknown>> {
  const write = (name: string, text: string): string => {
    const path = join(dir, `kube-scheduler-${name}`)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return {
    urlPrefix: `https://127.0.0.1:${port}`,
    filterVerb: 'filter',
    prioritizeVerb: 'prioritize',
    preemptVerb: 'preempt',
    bindVerb: 'bind',
    weight: 1,
    nodeCacheCapable: true,
    enableHTTPS: true,
    tlsConfig: {
      caFile: write('ca.crt', ca),
      certFile: write('tls.crt', caller.cert),
      keyFile: write('tls.key', caller.key),
    },
    httpTimeout: '2s',
    ...entry,
  }
}
