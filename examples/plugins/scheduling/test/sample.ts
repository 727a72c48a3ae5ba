import type { Pod } from '@berth/plugin-api'
import type { RunSchedulingPluginOptions } from '@berth/plugin-api/testing'

/** Returns a pod of an app, or of none. */
export const pod = (name: string, app?: string): Pod => ({
  metadata: { name, namespace: 'default', uid: name, labels: app === undefined ? {} : { app } },
  spec: { containers: [] },
})

type Sample = Required<Pick<RunSchedulingPluginOptions, 'nodes' | 'pods'>>

/** Inputs of the test kit and of the benchmark, by the name of the plugin. */
export const samples: Readonly<Record<'example-rack', Sample>> = {
  'example-rack': {
    nodes: [{ name: 'node-a', labels: { 'example.com/rack': 'r1' }, pods: [pod('web-0', 'web')] }, { name: 'node-b' }],
    pods: [pod('web-1', 'web')],
  },
}
