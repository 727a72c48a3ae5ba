import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseServingMode } from '../src/serving-mode.ts'
import { filesIn, selfSigned } from './test-certificates.ts'
import { post, startTestExtender } from './test-extender.ts'

const Pod = { metadata: { name: 'web' }, spec: { containers: [] } }
/** The names of call `i`, which no other call has. */
const namesOf = (i: number, count: number) => Array.from({ length: count }, (_, n) => `call-${i}-node-${n}`)
/** The response of a filter call of these names, which the cluster does not have. */
const answerOf = (names: readonly string[]) =>
  JSON.stringify({
    Nodes: null,
    NodeNames: [],
    FailedNodes: {},
    FailedAndUnresolvableNodes: Object.fromEntries(names.map((name) => [name, UNKNOWN])),
    Error: '',
  })
/** Returns which calls have another response than theirs. The texts are too long for a message. */
const wrongCalls = (calls: readonly (readonly string[])[], answers: readonly string[]) =>
  calls.flatMap((names, i) => (answers[i] === answerOf(names) ? [] : [i]))
const UNKNOWN = 'node(s) are not known to the scheduler'

test(
  'responses that HTTP/2 callers read slowly keep their bytes while others are written',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'berth-unread-'))
    const [server, caller] = await Promise.all([selfSigned('server'), selfSigned('kube-scheduler')])
    await using extender = await startTestExtender({ servingMode: chooseServingMode(filesIn(dir, server, caller)) })
    rmSync(dir, { recursive: true })
    // A response takes many round trips, because its window is small.
    const session = connectHttp2(`https://${extender.address}`, {
      ca: server.cert,
      ...caller,
      settings: { initialWindowSize: 1_000 },
    })
    const call = async (names: readonly string[]) => {
      const stream = session.request({ ':method': 'POST', ':path': '/filter', 'content-type': 'application/json' })
      stream.end(JSON.stringify({ Pod, NodeNames: names }))
      await once(stream, 'response')
      let text = ''
      for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
      return text
    }
    const calls = Array.from({ length: 60 }, (_, i) => namesOf(i, 300))
    for (let round = 0; round < 2; round++) {
      expect(wrongCalls(calls, await Promise.all(calls.map(call)))).toEqual([])
    }
    session.close()
  },
)

test(
  'responses that an HTTP/1.1 caller does not read keep their bytes while others are written',
  { timeout: 60_000 },
  async () => {
    await using extender = await startTestExtender()
    const socket = connect(Number(extender.address.split(':').at(-1)), '127.0.0.1').pause()
    // The responses are larger together than what the system buffers for a connection.
    const calls = Array.from({ length: 30 }, (_, i) => namesOf(i, 10_000))
    for (const names of calls) {
      const text = JSON.stringify({ Pod, NodeNames: names })
      socket.write(
        `POST /filter HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
    }
    for (let i = 0; i < calls.length; i++) {
      const names = namesOf(100 + i, 10_000)
      const { text } = await post(extender.address, '/filter', { Pod, NodeNames: names })
      expect(wrongCalls([names], [text])).toEqual([])
    }
    expect(wrongCalls(calls, await readAnswers(socket, calls.length))).toEqual([])
    socket.destroy()
  },
)

/** Reads the bodies of responses that follow each other on a connection. */
async function readAnswers(socket: Socket, count: number): Promise<readonly string[]> {
  const answers: string[] = []
  let received = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    received += String(chunk)
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/iu.exec(received)?.[1])
      if (start < 4 || received.length < start + length) break
      answers.push(received.slice(start, start + length))
      received = received.slice(start + length)
    }
    if (answers.length === count) break
  }
  return answers
}
