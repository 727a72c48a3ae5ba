import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '@berth/e2e/real-api-server/free-ports'
import { nodeOptions } from '@berth/tools/chart/node-options'
import { appBundles } from '@berth/tools/story/start-app'
import type { AppName } from '@berth/tools/story/story-context'
import type { NodeOptions } from '@berth/process/testing'
import { stringify } from 'yaml'
import type { SoakCluster } from './soak-cluster.ts'
import { startSoakProcess, type SoakProcess } from './soak-process.ts'

/** Resources that the advertiser declares: the scheduler counts one, and only the extender counts and binds the other. */
export const DONGLE = 'example.com/dongle'
export const LICENCE = 'example.com/licence'
/** Devices of the device plugin, on the second node. */
export const SLOT = 'example.com/slot'
export const UNITS = 4
export const SCHEDULER_NAME = 'berth-scheduler'

const root = join(import.meta.dirname, '../..')
const leakModule = join(import.meta.dirname, 'leak.ts')

/** A leak that is planted into the extender. */
export type PlantedLeak = 'handles' | 'memory'

/** The running apps. Disposing ends them. */
export interface SoakApps extends AsyncDisposable {
  /** Two replicas of the scheduler, the extender, the advertiser and the device plugin. */
  readonly processes: readonly SoakProcess[]
  /** Returns the names of the apps whose /readyz does not succeed. */
  notReady(): Promise<readonly string[]>
  /** Changes the configuration of the advertiser. */
  declare(units: number): void
  /** Changes the health of one device. */
  setHealth(device: number, isHealthy: boolean): void
}

/** Starts the built apps, with the flags of Node that the chart sets. */
export async function startSoakApps(
  cluster: SoakCluster,
  dir: string,
  leak: PlantedLeak | undefined,
): Promise<SoakApps> {
  await using parts = new AsyncDisposableStack()
  const { kubeconfig, nodes } = cluster
  const [extenderPort = 0, ...healthPorts] = await freePorts(6)
  const healthUrls = new Map<string, string>()
  const write = (name: string, value: unknown): string => {
    const path = join(dir, name)
    writeFileSync(path, stringify(value))
    return path
  }
  const start = (
    name: string,
    app: AppName,
    config: string,
    flags: readonly string[],
    { nodeFlags = [], env = {} }: NodeOptions = {},
  ): SoakProcess => {
    const address = `127.0.0.1:${healthPorts.pop() ?? 0}`
    const healthUrl = `http://${address}`
    healthUrls.set(name, healthUrl)
    return parts.use(
      startSoakProcess({
        name,
        args: [...nodeFlags, join(root, appBundles[app]), '--config', config, '--health-address', address, ...flags],
        env,
        logPath: join(dir, `${name}.log`),
        healthUrl,
        // These end when they lose their Lease.
        endsWhenStopped: app === 'scheduler' || app === 'advertiser',
      }),
    )
  }
  const declare = (units: number): string =>
    write('advertiser.yaml', {
      resources: [DONGLE, LICENCE].map((name) => ({ name, units, nodes: { names: nodes } })),
    })
  const deviceDir = join(dir, 'dev')
  mkdirSync(deviceDir)
  const setHealth = (device: number, isHealthy: boolean): void =>
    writeFileSync(join(deviceDir, `health-of-slot${device}`), isHealthy ? 'Healthy' : 'Unhealthy')
  for (let device = 0; device < UNITS; device++) {
    writeFileSync(join(deviceDir, `slot${device}`), '')
    setHealth(device, true)
  }
  const access = ['--kubeconfig', kubeconfig]
  const extenderOptions = nodeOptions('extender')
  const planted: NodeOptions =
    leak === undefined
      ? extenderOptions
      : {
          nodeFlags: [...extenderOptions.nodeFlags, '--import', leakModule],
          env: { ...extenderOptions.env, BERTH_SOAK_LEAK: leak },
        }
  const listen = `127.0.0.1:${extenderPort}`
  const extenderConfig = write('extender.yaml', { plugins: [{ name: 'NodeResourcesFit' }] })
  const extender = start(
    'extender',
    'extender',
    extenderConfig,
    [...access, '--listen', listen, '--insecure-http', '--bind'],
    planted,
  )
  const schedulerConfig = write('scheduler.yaml', schedulerConfiguration(`http://${listen}`))
  const schedulers = ['scheduler-a', 'scheduler-b'].map((name) =>
    start(name, 'scheduler', schedulerConfig, access, nodeOptions('scheduler')),
  )
  const advertiser = start('advertiser', 'advertiser', declare(UNITS), access, nodeOptions('advertiser'))
  const pluginConfig = write('device-plugin.yaml', devicePluginConfiguration(cluster.nodeDir(nodes[1]), deviceDir))
  const devicePlugin = start('device-plugin', 'device-plugin', pluginConfig, [], nodeOptions('device-plugin'))
  const owned = parts.move()
  return {
    processes: [...schedulers, extender, advertiser, devicePlugin],
    async notReady() {
      const all = [...healthUrls].map(async ([name, url]) => ((await isReady(url)) ? [] : [name]))
      return (await Promise.all(all)).flat()
    },
    declare: (units) => void declare(units),
    setHealth,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function schedulerConfiguration(extenderUrl: string): unknown {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { qps: 100, burst: 200 },
    leaderElection: {
      leaderElect: true,
      resourceNamespace: 'kube-system',
      resourceName: 'berth-soak',
      leaseDuration: '8s',
      renewDeadline: '5s',
      retryPeriod: '2s',
    },
    profiles: [{ schedulerName: SCHEDULER_NAME }],
    extenders: [
      {
        urlPrefix: extenderUrl,
        filterVerb: 'filter',
        prioritizeVerb: 'prioritize',
        bindVerb: 'bind',
        weight: 1,
        nodeCacheCapable: true,
        managedResources: [{ name: LICENCE, ignoredByScheduler: true }],
      },
    ],
  }
}

function devicePluginConfiguration(kubeletDir: string, deviceDir: string): unknown {
  const paths = [join(deviceDir, 'slot*')]
  const args = { paths, healthFile: join(deviceDir, 'health-of-{name}'), rescanSeconds: 1 }
  const pluginsRegistry = join(kubeletDir, 'plugins_registry', 'berth')
  mkdirSync(pluginsRegistry, { recursive: true })
  return {
    pluginsRegistry,
    devicePluginDir: join(kubeletDir, 'device-plugins'),
    resources: [{ name: SLOT, source: 'path-glob', args }],
  }
}

async function isReady(healthUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok
  } catch {
    return false
  }
}
