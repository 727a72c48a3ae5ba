import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A running oracle process for one kind of question. */
export interface Oracle extends AsyncDisposable {
  /** Returns the answer to one question as JSON text. */
  ask(question: unknown): Promise<string>
}

/** Starts `binary KIND`. */
export function startOracle(binary: string, kind: string): Oracle {
  const child: ChildProcess = spawn(binary, [kind], { stdio: ['pipe', 'pipe', 'inherit'] })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error(`start ${binary}: no pipes`)
  const pending: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = []
  createInterface({ input: stdout }).on('line', (line) => pending.shift()?.resolve(line))
  const fail = (reason: string): void => {
    for (const { reject } of pending.splice(0)) reject(new Error(`the oracle for ${kind} exited: ${reason}`))
  }
  child.once('error', (error) => fail(error.message))
  const exited = new Promise<void>((resolve) => {
    child.once('close', (code) => {
      fail(`exit ${code}`)
      resolve()
    })
  })
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        pending.push({ resolve, reject })
        stdin.write(`${JSON.stringify(question)}\n`)
      }),
    async [Symbol.asyncDispose]() {
      stdin.end()
      await exited
    },
  }
}
