import type { ExchangeGroup, ExchangeTarget, Transcript } from './exchange.ts'
import { patiently, readAnswer } from './read-answer.ts'
import { startTalk } from './start-talk.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** A group's namespace at a target; leaving it deletes the namespace. */
export interface Stage extends AsyncDisposable {
  /** Has one of the group's conversations and says what was said. */
  readonly play: (id: string) => Promise<Transcript>
}

/** Makes the namespace in which a group's exchanges happen. */
export async function openStage(target: ExchangeTarget, group: ExchangeGroup): Promise<Stage> {
  const namespace = `exchanges-${group.name}-${target.runId}`
  const body = new TextEncoder().encode(JSON.stringify({ metadata: { name: namespace } }))
  const made = await target.handle({ method: 'POST', path: '/api/v1/namespaces', headers: JSON_TYPE, body })
  if (made.status !== 201) throw new Error(`Making namespace ${namespace}: ${JSON.stringify(await readAnswer(made))}`)
  await readAnswer(made)
  // Pods are refused before their service account is there.
  await patiently(target, async () => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
    const answer = await target.handle({ method: 'GET', path, headers: {} })
    await readAnswer(answer)
    return answer.status === 200
  })
  return {
    async play(id) {
      const exchange = group.exchanges.find((each) => each.id === id)
      if (exchange === undefined) throw new Error(`No exchange ${id} in group ${group.name}`)
      const { talk, transcript, cleanUp } = startTalk(target, namespace, exchange)
      try {
        await exchange.run(talk)
      } finally {
        await cleanUp()
      }
      return transcript
    },
    async [Symbol.asyncDispose]() {
      const path = `/api/v1/namespaces/${namespace}`
      await readAnswer(await target.handle({ method: 'DELETE', path, headers: {} }))
    },
  }
}
