import { node } from './cluster-node.ts'
import { pod } from './cluster-pod.ts'
import { everythingQuestion } from './everything-question.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

/** Nodes and pods as they were last heard of, by name and uid. */
interface Known {
  readonly nodes: Map<string, Json>
  readonly pods: Map<string, Json>
}

const part = (object: Json, key: string): Json => (object[key] ?? {}) as Json

function newNode(choices: Choices, known: Known): Json {
  const made = node(choices, choices.integer(0, known.nodes.size))
  known.nodes.set(String(part(made, 'metadata')['name']), made)
  return { setNode: made }
}

/** A node that reports anew: another size of an image, other room, other labels or taints. */
function changedNode(choices: Choices, known: Known): Json {
  const [name, old] = choices.pick([...known.nodes])
  const other = node(choices, 0)
  const changed = choices.pick<(old: Json) => Json>([
    () => ({ ...other, metadata: { ...part(other, 'metadata'), name } }),
    () => ({ ...old, spec: other['spec'] }),
    () => ({ ...old, metadata: { name, labels: part(other, 'metadata')['labels'] } }),
    () => ({ ...old, status: { ...part(old, 'status'), images: part(other, 'status')['images'] ?? [] } }),
    () => ({ ...old, status: { ...part(old, 'status'), images: grownImages(choices, part(old, 'status')) } }),
  ])(old)
  known.nodes.set(name, changed)
  return { setNode: changed }
}

const NEWS = 'registry.example/news:v1'

/** An image that few nodes hold, heard of and then, mostly, heard of again in another size. */
function imageNews(choices: Choices, known: Known): readonly Json[] {
  const [name, old] = choices.pick([...known.nodes])
  const sizes = choices.list(1, 3, () => choices.integer(1, 900) * 1024 * 1024)
  const news = sizes.map((sizeBytes) => ({
    ...old,
    status: { ...part(old, 'status'), images: [{ names: [NEWS], sizeBytes }] },
  }))
  known.nodes.set(name, news.at(-1) ?? old)
  return news.map((setNode) => ({ setNode }))
}

function running(question: Json, image: string): Json {
  const asked = question['pod'] as Json
  const [first, ...others] = part(asked, 'spec')['containers'] as Json[]
  return { ...asked, spec: { ...part(asked, 'spec'), containers: [{ ...first, image }, ...others] } }
}

function grownImages(choices: Choices, status: Json): readonly Json[] {
  return ((status['images'] ?? []) as Json[]).map((image) => ({
    ...image,
    sizeBytes: choices.integer(1, 900) * 1024 * 1024,
  }))
}

/** The first node stays, so that there is always one to ask about. */
function deletedNode(choices: Choices, known: Known): Json {
  const name = choices.pick([...known.nodes.keys()].slice(1).concat('gone'))
  known.nodes.delete(name)
  return { deleteNode: name }
}

function newPod(choices: Choices, known: Known, uid: string): Json {
  const made = pod(choices, uid, choices.chance(0.9) ? choices.pick([...known.nodes.keys()]) : undefined)
  known.pods.set(uid, made)
  return { setPod: made }
}

/** Never on another node: that would end the real scheduler. */
function changedPod(choices: Choices, known: Known): Json {
  const [uid, old] = choices.pick([...known.pods])
  const other = pod(choices, uid, part(old, 'spec')['nodeName'] as string | undefined)
  const changed = choices.pick<() => Json>([
    () => other,
    () => ({ ...old, status: { ...part(old, 'status'), phase: choices.pick(['Succeeded', 'Failed', 'Running']) } }),
    () => ({
      ...old,
      metadata: { ...part(old, 'metadata'), labels: part(other, 'metadata')['labels'] },
    }),
  ])()
  known.pods.set(uid, changed)
  return { setPod: changed }
}

function deletedPod(choices: Choices, known: Known): Json {
  const [uid, old] = choices.pick([...known.pods])
  known.pods.delete(uid)
  return { deletePod: old }
}

/** A pod that was placed, and what became of it: bound there, called off, or nothing heard yet. */
function assumption(choices: Choices, known: Known, uid: string): readonly Json[] {
  const placed = pod(choices, uid, choices.pick([...known.nodes.keys()]))
  const assumed = { ...placed, status: {} }
  const outcome = choices.pick(['bound', 'forgotten', 'waiting', 'unbound news', 'deleted'])
  if (outcome === 'bound') {
    known.pods.set(uid, placed)
    return [{ assume: assumed }, { setPod: placed }]
  }
  if (outcome === 'forgotten') return [{ assume: assumed }, { forget: assumed }]
  if (outcome === 'deleted') return [{ assume: assumed }, { deletePod: assumed }]
  if (outcome === 'waiting') return [{ assume: assumed }]
  const { nodeName: _nodeName, ...spec } = part(assumed, 'spec')
  return [{ assume: assumed }, { setPod: { ...assumed, spec } }]
}

/** One question of kind `events`: `everything`, after nodes and pods came, changed and went. */
export function eventsQuestion(choices: Choices): Json {
  const question = everythingQuestion(choices)
  const nodes = question['nodes'] as Json[]
  const pods = (question['pods'] ?? []) as Json[]
  const known: Known = {
    nodes: new Map(nodes.map((each) => [String(part(each, 'metadata')['name']), each])),
    pods: new Map(pods.map((each) => [String(part(each, 'metadata')['uid']), each])),
  }
  const hasNews = choices.chance(0.3)
  const events = choices.list(1, 12, (index) => {
    const kind = choices.number()
    if (hasNews && kind < 0.2) return imageNews(choices, known)
    if (kind < 0.1) return [newNode(choices, known)]
    if (kind < 0.4) return [changedNode(choices, known)]
    if (kind < 0.5) return [deletedNode(choices, known)]
    if (kind < 0.6) return assumption(choices, known, `a${index}`)
    if (kind < 0.7 || known.pods.size === 0) return [newPod(choices, known, `e${index}`)]
    return [kind < 0.85 ? changedPod(choices, known) : deletedPod(choices, known)]
  })
  return { ...question, ...(hasNews && { pod: running(question, NEWS) }), events: events.flat() }
}
