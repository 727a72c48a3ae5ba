import { setTimeout as pause } from 'node:timers/promises'
import { runOrThrow } from './run-command.ts'
import { testEnvironment } from './test-environment.ts'

const EVERY_MS = 1500
const ANNOTATION = 'berth.dev/stirred'

/**
 * Changes an annotation of the node repeatedly until disposed, so that kube-scheduler retries pods that an extender
 * rejected. Without changes in the cluster it would wait for minutes. Removes the annotation at the end.
 */
export function keepChangingNode(node: string): AsyncDisposable {
  const stop = new AbortController()
  const annotate = async (change: string): Promise<void> => {
    const target = ['--kubeconfig', testEnvironment().kubeconfig, 'annotate', '--overwrite', 'node', node]
    await runOrThrow('kubectl', [...target, change])
  }
  const changing = (async () => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      await annotate(`${ANNOTATION}=${turn}`)
      await pause(EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
    await annotate(`${ANNOTATION}-`)
  })()
  // The disposal handles the error. Until then nothing awaits the promise.
  changing.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await changing
    },
  }
}
