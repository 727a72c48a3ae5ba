import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiServer } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { fakeClock, seededRandom } from '@berth/clock/testing'
import { extendedResourceDefinition, specSamples } from '@berth/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { specSchema } from '../src/objects/definition/spec-schema.ts'

const clock = fakeClock()
const server = createApiServer({ clock, random: seededRandom(1) })
const objects = '/apis/berth.dev/v1alpha1/extendedresources'

/** Creates an object, and returns the refusal of the API server or undefined. */
async function create(name: string, spec: unknown): Promise<string | undefined> {
  const body = { apiVersion: 'berth.dev/v1alpha1', kind: 'ExtendedResource', metadata: { name }, spec }
  const answer = await callJson(server.handle, 'POST', objects, { body })
  return answer.status === 201 ? undefined : (answer.body as { readonly message: string }).message
}

describe('the definition of ExtendedResource', () => {
  beforeAll(async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const answer = await callJson(server.handle, 'POST', path, { body: extendedResourceDefinition() })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    await clock.settle()
  })

  test.for(specSamples.map((sample, index) => ({ ...sample, index })))(
    'the API server and the advertiser agree on $it',
    async ({ spec, refusal, index }) => {
      const answer = await create(`sample-${index}`, spec)
      expect(answer ?? 'accepted').toContain(refusal ?? 'accepted')
      expect(specSchema.safeParse(spec).success).toBe(refusal === undefined)
    },
  )

  test('accepts examples/dongle/extended-resource.yaml', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../examples/dongle/extended-resource.yaml'), 'utf8')
    const answer = await callJson(server.handle, 'POST', objects, { body: text, contentType: 'application/yaml' })
    expect(answer.status).toBe(201)
    expect(specSchema.safeParse(answer.body.spec).success).toBe(true)
  })

  test('fills in defaults as the advertiser does', async () => {
    const spec = { resourceName: 'example.com/seat', source: { plugin: 'node-label' }, nodes: { selector: {} } }
    await create('defaults', spec)
    const stored = await callJson(server.handle, 'GET', `${objects}/defaults`)
    expect(stored.body.spec).toEqual(specSchema.parse(spec))
    expect(stored.body.spec).toMatchObject({ precedence: 0, source: { everySeconds: 30, maxAgeSeconds: 300 } })
  })

  test('does not let the name of the resource change', async () => {
    await create('fixed', { resourceName: 'example.com/seat', units: 1, nodes: { selector: {} } })
    const patch = (change: object) =>
      callJson(server.handle, 'PATCH', `${objects}/fixed`, {
        contentType: 'application/merge-patch+json',
        body: { spec: change },
      })
    expect((await patch({ resourceName: 'example.com/other' })).body.message).toContain(
      'resourceName cannot be changed',
    )
    expect((await patch({ units: 2 })).status).toBe(200)
  })
})
