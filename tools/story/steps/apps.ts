import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deviceNode } from '../story-nodes.ts'
import { startApp } from '../start-app.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'
import type { StoryContext } from '../story-context.ts'

/** Starts the four apps from their bundles, each in its own process. */
export const appsStep: Step = {
  title: 'Start Berth: four apps, each in its own process',
  async run(story) {
    const { narrator, kubeconfig } = story
    const access = ['--kubeconfig', kubeconfig]
    const extender = await startApp(story, 'extender', extenderConfig(story), [
      ...access,
      '--listen',
      '127.0.0.1:0',
      '--insecure-http',
      '--plugin-dir',
      join(story.root, 'examples/plugins'),
    ])
    const served = /"address":"([^"]+)"[^\n]*"Serving scheduler extender"/.exec(extender.process.output())
    if (served?.[1] === undefined) throw new UnmetExpectationError('the extender did not log its address')
    await startApp(story, 'scheduler', schedulerConfig(story, `http://${served[1]}`), access)
    await startApp(story, 'advertiser', advertiserConfig(story), access)
    await startApp(story, 'device-plugin', await devicePluginConfig(story))
    for (const [name, { process }] of story.apps) {
      narrator.observed(`${name.padEnd(14)} pid ${String(process.pid).padEnd(7)} /readyz returns ok`)
    }
  },
}

function extenderConfig(story: StoryContext): string {
  return story.writeYaml('extender.yaml', { plugins: [{ name: 'NodeResourcesFit' }, { name: 'example-rack' }] })
}

function schedulerConfig(story: StoryContext, extenderUrl: string): string {
  return story.writeYaml('scheduler.yaml', {
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

/** Declares no resources, so that the story can show the node before and after. */
function advertiserConfig(story: StoryContext): string {
  return story.writeYaml('advertiser.yaml', { resources: [] })
}

async function devicePluginConfig(story: StoryContext): Promise<string> {
  const devices = join(story.dir, 'dev')
  mkdirSync(devices, { recursive: true })
  for (let slot = 0; slot < 4; slot++) {
    writeFileSync(join(devices, `slot${slot}`), '')
    writeFileSync(join(devices, `health-of-slot${slot}`), 'Healthy')
  }
  const args = { paths: [join(devices, 'slot*')], healthFile: join(devices, 'health-of-{name}'), rescanSeconds: 1 }
  const kubelet = join(story.dir, 'c', await deviceNode(story))
  const pluginsRegistry = join(kubelet, 'plugins_registry', 'berth')
  mkdirSync(pluginsRegistry, { recursive: true })
  return story.writeYaml('device-plugin.yaml', {
    pluginsRegistry,
    devicePluginDir: join(kubelet, 'device-plugins'),
    resources: [{ name: 'example.com/slot', source: 'path-glob', args }],
  })
}
