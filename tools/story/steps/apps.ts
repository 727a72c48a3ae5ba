import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceNode } from '../cast.ts'
import { startApp } from '../start-app.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import type { World } from '../world.ts'

/** The four apps, each a process of its own, from its bundle. */
export const appsStep: Step = {
  title: 'Berth: four apps, each a process of its own',
  async run(world) {
    const { narrator, kubeconfig } = world
    const access = ['--kubeconfig', kubeconfig]
    const extender = await startApp(world, 'extender', extenderConfig(world), [
      ...access,
      '--listen',
      '127.0.0.1:0',
      '--insecure-http',
      '--plugin-dir',
      join(world.root, 'examples/plugins'),
    ])
    const served = /"address":"([^"]+)"[^\n]*"Serving scheduler extender"/.exec(extender.process.output())
    if (served?.[1] === undefined) throw new UnmetExpectationError('the extender did not say where it serves')
    await startApp(world, 'scheduler', schedulerConfig(world, `http://${served[1]}`), access)
    await startApp(world, 'advertiser', advertiserConfig(world), access)
    await startApp(world, 'device-plugin', await devicePluginConfig(world))
    for (const [name, { process }] of world.apps) {
      narrator.seen(`${name.padEnd(14)} pid ${String(process.pid).padEnd(7)} /readyz says ok`)
    }
  },
}

function extenderConfig(world: World): string {
  return world.writeYaml('extender.yaml', { plugins: [{ name: 'NodeResourcesFit' }, { name: 'example-rack' }] })
}

function schedulerConfig(world: World, extenderUrl: string): string {
  return world.writeYaml('scheduler.yaml', {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [
      { schedulerName: 'default-scheduler' },
      {
        schedulerName: 'chaos-scheduler',
        plugins: { score: { enabled: [{ name: 'chaos-random-score', weight: 1 }], disabled: [{ name: '*' }] } },
      },
    ],
    extenders: [
      {
        urlPrefix: extenderUrl,
        filterVerb: 'filter',
        prioritizeVerb: 'prioritize',
        weight: 1,
        nodeCacheCapable: true,
        managedResources: [{ name: 'example.com/dongle' }, { name: 'example.com/slot' }],
      },
    ],
  })
}

/** Starts with nothing to advertise, so that the story can show the node before and after. */
function advertiserConfig(world: World): string {
  return world.writeYaml('advertiser.yaml', { resources: [] })
}

async function devicePluginConfig(world: World): Promise<string> {
  const devices = join(world.dir, 'dev')
  mkdirSync(devices, { recursive: true })
  for (let slot = 0; slot < 4; slot++) {
    writeFileSync(join(devices, `slot${slot}`), '')
    writeFileSync(join(devices, `health-of-slot${slot}`), 'Healthy')
  }
  const args = { paths: [join(devices, 'slot*')], healthFile: join(devices, 'health-of-{name}'), rescanSeconds: 1 }
  const kubelet = join(world.dir, 'c', await deviceNode(world))
  const pluginsRegistry = join(kubelet, 'plugins_registry', 'berth')
  mkdirSync(pluginsRegistry, { recursive: true })
  return world.writeYaml('device-plugin.yaml', {
    pluginsRegistry,
    devicePluginDir: join(kubelet, 'device-plugins'),
    resources: [{ name: 'example.com/slot', source: 'path-glob', args }],
  })
}
