import { join } from 'node:path'
import { must } from '../cluster/run-command.ts'
import { check, pausePod } from '../cluster/test-cluster.ts'
import { sessionUnderTest } from '../cluster/test-environment.ts'
import type { BerthPlay } from './check.ts'

const bundle = join(import.meta.dirname, '..', '..', 'apps', 'kubectl-berth', 'dist', 'main.js')
const KEY = 'example.com/key'

/** The command line beside kube-scheduler. It is no part of an installation, so that there is no run without it. */
export const explainPlay: Omit<BerthPlay, 'component' | 'missing'> = {
  name: 'kubectl berth explain says what kube-scheduler says, and its cheapest fix works',
  async run(scene) {
    const node = scene.workers[1] ?? ''
    const [holder, waiting, smaller] = ['key-holder', 'key-waiting', 'key-smaller'].map(scene.name) as [
      string,
      string,
      string,
    ]
    await scene.advertise(node, KEY, '4')
    await scene.createPod(pausePod(holder, { [KEY]: '3' }))
    await scene.untilRunning(holder)
    await scene.createPod(pausePod(waiting, { [KEY]: '2' }))
    const { note } = await scene.untilEvent(waiting, 'FailedScheduling', /Insufficient example\.com\/key/)
    const answer = JSON.parse(
      await must(process.execPath, [
        bundle,
        'explain',
        'pod',
        waiting,
        '-o',
        'json',
        '--kubeconfig',
        sessionUnderTest().kubeconfig,
      ]),
    ) as { readonly message: string; readonly fixes: readonly { readonly kind: string }[] }
    // kube-scheduler appends what preemption found.
    check(note.startsWith(answer.message), `${answer.message}\n${note}`)
    check(answer.fixes[0]?.kind === 'lower-request', `the cheapest fix is ${answer.fixes[0]?.kind}`)
    await scene.createPod(pausePod(smaller, { [KEY]: '1' }))
    await scene.untilRunning(smaller)
  },
}
