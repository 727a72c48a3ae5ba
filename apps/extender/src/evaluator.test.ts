import { createClusterState } from '@berth/fit-engine'
import { createPluginRegistry, defineSchedulingPlugin, perNode, type PerNodeFunctions } from '@berth/plugin-api'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import { buildExtenderProfile } from '@berth/scheduler-config'

const names = ['node-a', 'node-b', 'node-c', 'node-d']
const pod = { metadata: { name: 'p' }, spec: { containers: [] } }
const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }

function evaluatorWith(filter: PerNodeFunctions['filter']): Evaluator {
  const plugin = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'quiet',
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => perNode({ ...(filter !== undefined && { filter }) }),
  })
  const env = () => ({ log: silentLogger, clock, random: () => 0 })
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  const profile = buildExtenderProfile([{ name: 'quiet', weight: 1, args: {} }], registry, env)
  const state = createClusterState()
  for (const name of names) state.setNode({ metadata: { name } })
  const view = { state, notReady: () => undefined, subscribe: () => () => {} }
  return createEvaluator({
    profile,
    view,
    refuseUnsupported: false,
    ignoredResources: new Set<string>(),
    now: () => 0,
    random: () => 0,
  })
}

const request = { pod, names, nodes: undefined }

test('merges reasons that differ per node, so that kube-scheduler counts them as one', () => {
  const { FailedNodes } = evaluatorWith((_pod, { name }) => `${name} is quiet`).filter(request)
  const merged = 'rejected by plugin quiet: node-a is quiet and 3 other reasons'
  expect(FailedNodes).toEqual(Object.fromEntries(names.map((name) => [name, merged])))
})

test('keeps a reason that few nodes have', () => {
  const { FailedNodes } = evaluatorWith((_pod, { name }) => (name === 'node-a' ? 'it is quiet' : undefined)).filter(
    request,
  )
  expect(FailedNodes).toEqual({ 'node-a': 'it is quiet' })
})

test('names the plugin, the node, the value and the expectation when a filter returns true', () => {
  expect(() => evaluatorWith(() => true as never).filter(request)).toThrow(
    expect.objectContaining({
      code: 'BERTH_EXTENDER_PLUGIN',
      plugin: 'quiet',
      message: expect.stringContaining(
        'running Filter plugin "quiet": filter returned true for node node-a, expected undefined',
      ) as string,
    }),
  )
})
