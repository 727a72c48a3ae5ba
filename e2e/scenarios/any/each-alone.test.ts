import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectToTestCluster, runCheck } from '../../cluster/test-cluster.ts'
import { mergeValues } from '../../cluster/merge-values.ts'
import { NAMESPACE, RELEASE, installRelease, type Release } from '../../cluster/release.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { keepChangingNode } from '../../cluster/keep-changing-node.ts'
import { listWorkers } from '../../cluster/workers.ts'
import { advertiserChecks, advertiserValues } from '../../checks/advertiser.ts'
import type { Check, Component } from '../../checks/check.ts'
import { devicePluginChecks, devicePluginValues } from '../../checks/device-plugin.ts'
import { chaosExtenderCheck, chaosValues, lastLicenceCheck, licenceCheck } from '../../checks/extender.ts'
import { packedPluginChecks } from '../../checks/packed-plugins.ts'
import { schedulerChecks, schedulerValues } from '../../checks/scheduler.ts'

const checks: readonly Check[] = [
  ...advertiserChecks,
  ...devicePluginChecks,
  ...schedulerChecks,
  chaosExtenderCheck,
  licenceCheck,
  lastLicenceCheck,
  ...packedPluginChecks,
]
/** Checks that need the configuration of everything.test.ts and must fail with the configuration of this file. */
const needOtherConfiguration: ReadonlySet<Check> = new Set(packedPluginChecks)
/** Checks that are not expected to pass here. A coin would decide the checks of licences. */
const notExpected: ReadonlySet<Check> = new Set([licenceCheck, lastLicenceCheck, ...needOtherConfiguration])

interface Installation {
  readonly component: Component
  readonly profile: string
  readonly podSecurity: 'privileged' | 'restricted'
  readonly values: (workers: readonly string[]) => unknown
}

const installations: readonly Installation[] = [
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
      await using cluster = connectToTestCluster()
      workers = await listWorkers(cluster.client)
      release = await installRelease({ profile, podSecurity, values: values(workers) })
    })

    afterAll(async () => {
      await release?.[Symbol.asyncDispose]()
    })

    const expected = checks.filter((each) => each.component === component && !notExpected.has(each))
    test.for(expected.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })

    test('helm test succeeds', async () => {
      // The chaos extender may toss tails for every node. kube-scheduler calls it again when something changes.
      await using _ = keepChangingNode(workers[0] ?? '')
      expect(await release?.test()).toMatch(/^Phase:\s+Succeeded$/m)
    })

    describe.concurrent('checks of apps that are not installed fail', () => {
      const others = checks.filter((each) => each.component !== component || needOtherConfiguration.has(each))
      test.for(others.map((each) => [each.name, each] as const))('%s', async ([, { run, failureText }]) => {
        const why = expect.stringContaining(failureText) as string
        expect(await runCheck(run, { waitMs: 4_000 })).toEqual({ holds: false, why })
      })
    })

    // Runs last, because it disables the app.
    const scaled = component === 'scheduler' ? [`deployment/${RELEASE}-scheduler`] : []
    test.for(scaled)('helm test fails and names its pod when %s has no pod', async (deployment) => {
      const scale = ['scale', deployment, '--replicas=0', '--namespace', NAMESPACE]
      await runOrThrow('kubectl', ['--kubeconfig', testEnvironment().kubeconfig, ...scale])
      await expect(release?.test()).rejects.toThrow(/berth-test-scheduler-0/)
    })
  },
)
