import type { CaseGroup, ConformanceTarget, Transcript } from './conformance-case.ts'
import { poll, readAnswer } from './read-answer.ts'
import { startSession } from './start-session.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** Runs the cases of one group in the group's namespace. Disposing deletes the namespace. */
export interface GroupRunner extends AsyncDisposable {
  /** Runs one case and returns its transcript. */
  readonly run: (id: string) => Promise<Transcript>
}

/** Creates the namespace in which a group's cases run. */
export async function openGroup(target: ConformanceTarget, group: CaseGroup): Promise<GroupRunner> {
  const namespace = `exchanges-${group.name}-${target.runId}`
  const body = new TextEncoder().encode(JSON.stringify({ metadata: { name: namespace } }))
  const created = await target.handle({ method: 'POST', path: '/api/v1/namespaces', headers: JSON_TYPE, body })
  if (created.status !== 201)
    throw new Error(`Creating namespace ${namespace}: ${JSON.stringify(await readAnswer(created))}`)
  await readAnswer(created)
  // The server rejects pods until the default service account exists.
  await poll(target, async () => {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`
    const answer = await target.handle({ method: 'GET', path, headers: {} })
    await readAnswer(answer)
    return answer.status === 200
  })
  return {
    async run(id) {
      const found = group.cases.find((each) => each.id === id)
      if (found === undefined) throw new Error(`No case ${id} in group ${group.name}`)
      const { session, transcript, cleanUp } = startSession(target, namespace, found)
      try {
        await found.run(session)
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
