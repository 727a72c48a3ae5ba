import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectToSession, play } from '../../cluster/test-cluster.ts'
import { mergeValues } from '../../cluster/merge-values.ts'
import { NAMESPACE, RELEASE, installRelease, type Release } from '../../cluster/release.ts'
import { must } from '../../cluster/run-command.ts'
import { sessionUnderTest } from '../../cluster/test-environment.ts'
import { stirNode } from '../../cluster/keep-changing-node.ts'
import { workersOf } from '../../cluster/workers.ts'
import { advertiserPlays, advertiserValues } from '../../checks/advertiser.ts'
import type { BerthPlay, Component } from '../../checks/check.ts'
import { devicePluginPlays, devicePluginValues } from '../../checks/device-plugin.ts'
import { chaosExtenderPlay, chaosValues, licencePlay, uncountedPlay } from '../../checks/extender.ts'
import { packedPluginPlays } from '../../checks/packed-plugins.ts'
import { schedulerPlays, schedulerValues } from '../../checks/scheduler.ts'

const plays: readonly BerthPlay[] = [
  ...advertiserPlays,
  ...devicePluginPlays,
  ...schedulerPlays,
  chaosExtenderPlay,
  licencePlay,
  uncountedPlay,
  ...packedPluginPlays,
]
/** Played where everything is installed, since they need another configuration: with that of here they must not hold. */
const unconfigured: ReadonlySet<BerthPlay> = new Set([uncountedPlay, ...packedPluginPlays])
/** Nor can this one, which a coin would decide. */
const later: ReadonlySet<BerthPlay> = new Set([licencePlay, ...unconfigured])

interface Alone {
  readonly component: Component
  readonly profile: string
  readonly podSecurity: 'privileged' | 'restricted'
  readonly values: (workers: readonly string[]) => unknown
}

const installations: readonly Alone[] = [
  { component: 'advertiser', profile: 'advertiser-only', podSecurity: 'restricted', values: advertiserValues },
  {
    component: 'devicePlugin',
    profile: 'device-plugin-only',
    podSecurity: 'privileged',
    values: () => devicePluginValues,
  },
  { component: 'extender', profile: 'extender-only', podSecurity: 'restricted', values: () => chaosValues },
  {
    component: 'scheduler',
    profile: 'scheduler-only',
    podSecurity: 'restricted',
    values: () => mergeValues(schedulerValues, { test: { timeoutSeconds: 90 } }),
  },
]

describe.for(installations)(
  '$profile, in a namespace that enforces $podSecurity',
  ({ component, profile, podSecurity, values }) => {
    let release: Release | undefined
    let workers: readonly string[] = []

    beforeAll(async () => {
      await using cluster = connectToSession()
      workers = await workersOf(cluster.client)
      release = await installRelease({ profile, podSecurity, values: values(workers) })
    })

    afterAll(async () => {
      await release?.[Symbol.asyncDispose]()
    })

    const held = plays.filter((each) => each.component === component && !later.has(each))
    test.for(held.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
      expect(await play(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })

    test('helm test is content with it', async () => {
      // The chaos extender may toss tails for every node; kube-scheduler has it toss again when something changes.
      await using _ = stirNode(workers[0] ?? '')
      expect(await release?.test()).toMatch(/^Phase:\s+Succeeded$/m)
    })

    describe.concurrent('what is not installed does not hold', () => {
      const others = plays.filter((each) => each.component !== component || unconfigured.has(each))
      test.for(others.map((each) => [each.name, each] as const))('%s', async ([, { run, missing }]) => {
        const why = expect.stringContaining(missing) as string
        expect(await play(run, { waitMs: 4_000 })).toEqual({ holds: false, why })
      })
    })

    // Last, since nothing of it is left to test.
    const scaled = component === 'scheduler' ? [`deployment/${RELEASE}-scheduler`] : []
    test.for(scaled)('helm test fails, and says where, once %s has no pod', async (deployment) => {
      const scale = ['scale', deployment, '--replicas=0', '--namespace', NAMESPACE]
      await must('kubectl', ['--kubeconfig', sessionUnderTest().kubeconfig, ...scale])
      await expect(release?.test()).rejects.toThrow(/berth-test-scheduler-0/)
    })
  },
)
