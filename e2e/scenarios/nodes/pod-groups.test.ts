import { podGroupDefinition } from '@berth/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../checks/check.ts'
import { groupChecks } from '../../checks/pod-groups.ts'
import { controlPlaneOf } from '../../checks/scheduler-manifest.ts'
import { addFlags } from '../../cluster/control-plane-flags.ts'
import type { ControlPlane } from '../../cluster/control-plane-manifest.ts'
import { installRelease } from '../../cluster/release.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'

const GATES = '--feature-gates=GenericWorkload=true,GangScheduling=true'
const API = 'scheduling.k8s.io/v1alpha2'
const berth = 'berth-scheduler'
const { engine, kubeconfig } = testEnvironment()
const kubectl = (args: readonly string[], input?: string): Promise<string> =>
  runOrThrow('kubectl', ['--kubeconfig', kubeconfig, ...args], input === undefined ? {} : { input })
const named = (checks: readonly Check[]) => checks.map((each) => [each.name, each] as const)

const expected = { holds: true }
const failureOf = ({ failureText }: Check): object => ({
  holds: false,
  why: expect.stringContaining(failureText) as string,
})

/** Runs `setUp` before the tests of the current suite, and disposes its result after them. */
function around(setUp: () => Promise<AsyncDisposable>): void {
  let resource: AsyncDisposable | undefined
  beforeAll(async () => {
    resource = await setUp()
  })
  afterAll(async () => {
    await resource?.[Symbol.asyncDispose]()
  })
}

const installScheduler = (): Promise<AsyncDisposable> =>
  installRelease({ profile: 'scheduler-only', podSecurity: 'restricted' })

/** Runs the checks without Berth, where they must fail, and with it. */
function describeBerth(checks: ReturnType<typeof named>): void {
  describe('without Berth', () => {
    test.for(checks)('fails: %s', async ([, check]) => {
      expect(await runCheck(check.run, { waitMs: 4_000 })).toEqual(failureOf(check))
    })
  })

  describe('with Berth', () => {
    around(installScheduler)
    test.for(checks)('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual(expected)
    })
  })
}

describe("scheduler-plugins' PodGroup, where the cluster does not serve pod groups itself", () => {
  const checks = named(groupChecks({ schedulerName: berth, api: 'scheduling.x-k8s.io/v1alpha1' }))

  around(async () => {
    const served = await kubectl(['api-resources', '--api-group=scheduling.k8s.io', '--output=name'])
    if (served.includes('podgroups')) throw new Error(`the cluster serves pod groups already: ${served}`)
    await kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(podGroupDefinition))
    await kubectl(['wait', '--for=condition=Established', `crd/${podGroupDefinition.metadata.name}`, '--timeout=60s'])
    return {
      async [Symbol.asyncDispose]() {
        await kubectl(['delete', 'crd', podGroupDefinition.metadata.name])
      },
    }
  })

  describeBerth(checks)
})

describe(`pod groups of ${API}`, () => {
  const checksOf = (schedulerName: string) => named(groupChecks({ schedulerName, api: API }))
  let controlPlane: ControlPlane

  around(async () => {
    controlPlane = { engine, node: await controlPlaneOf({ kubectl: (...args) => kubectl(args) }) }
    return addFlags(controlPlane, 'kube-apiserver', [GATES, `--runtime-config=${API}=true`])
  })

  describe('with kube-scheduler', () => {
    around(() => addFlags(controlPlane, 'kube-scheduler', [GATES]))
    test.for(checksOf('default-scheduler'))('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual(expected)
    })
  })

  describeBerth(checksOf(berth))
})
