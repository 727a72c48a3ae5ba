import { expectThat, pausePod } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'
import { kubectlBerth } from './kubectl-berth.ts'

const KEY = 'example.com/key'

/**
 * Compares `kubectl berth explain` with kube-scheduler. No app of the chart takes part, so the check has no counterpart that
 * must fail without that app.
 */
export const explainCheck: Omit<Check, 'component' | 'failureText'> = {
  name: 'kubectl berth explain reports the reason that kube-scheduler reports, and its cheapest fix works',
  async run(testCluster) {
    const node = testCluster.workers[1] ?? ''
    const [holder, waiting, smaller] = ['key-holder', 'key-waiting', 'key-smaller'].map(testCluster.uniqueName) as [
      string,
      string,
      string,
    ]
    await testCluster.advertise(node, KEY, '4')
    await testCluster.createPod(pausePod(holder, { [KEY]: '3' }))
    await testCluster.untilRunning(holder)
    await testCluster.createPod(pausePod(waiting, { [KEY]: '2' }))
    const { note } = await testCluster.untilEvent(waiting, 'FailedScheduling', /Insufficient example\.com\/key/)
    const answer = JSON.parse(await kubectlBerth('explain', 'pod', waiting, '-o', 'json')) as {
      readonly message: string
      readonly fixes: readonly { readonly kind: string }[]
    }
    // kube-scheduler appends the result of preemption.
    expectThat(note.startsWith(answer.message), `${answer.message}\n${note}`)
    expectThat(answer.fixes[0]?.kind === 'lower-request', `the cheapest fix is ${answer.fixes[0]?.kind}`)
    await testCluster.createPod(pausePod(smaller, { [KEY]: '1' }))
    await testCluster.untilRunning(smaller)
  },
}
