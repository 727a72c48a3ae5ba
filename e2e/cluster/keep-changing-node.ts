import { setTimeout as pause } from 'node:timers/promises'
import { must } from './run-command.ts'
import { sessionUnderTest } from './test-environment.ts'

const EVERY_MS = 1500
const ANNOTATION = 'berth.dev/stirred'

/**
 * Changes an annotation of the node again and again until it is disposed of, so that kube-scheduler tries pods again that
 * an extender turned away: it would wait for minutes where nothing happens. Takes the annotation away in the end.
 */
export function stirNode(node: string): AsyncDisposable {
  const stop = new AbortController()
  const annotate = async (change: string): Promise<void> => {
    const target = ['--kubeconfig', sessionUnderTest().kubeconfig, 'annotate', '--overwrite', 'node', node]
    await must('kubectl', [...target, change])
  }
  const stirring = (async () => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      await annotate(`${ANNOTATION}=${turn}`)
      await pause(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
    await annotate(`${ANNOTATION}-`)
  })()
  // Heard of at the end: until then nobody waits for it.
  stirring.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await stirring
    },
  }
}
