import type { Json } from './json.ts'
import { randomNode } from './random-node.ts'
import { randomPod } from './random-pod.ts'
import { everythingQuestion } from './everything-question.ts'
import type { Choices } from './random.ts'

/** The current nodes by name and pods by uid. */
interface KnownObjects {
  readonly nodes: Map<string, Json>
  readonly pods: Map<string, Json>
}

const field = (object: Json, key: string): Json => (object[key] ?? {}) as Json

function addNode(choices: Choices, known: KnownObjects): Json {
  const made = randomNode(choices, choices.integer(0, known.nodes.size))
  known.nodes.set(String(field(made, 'metadata')['name']), made)
  return { setNode: made }
}

/** Returns an update of a node: other image sizes, allocatable, labels or taints. */
function changeNode(choices: Choices, known: KnownObjects): Json {
  const [name, old] = choices.pick([...known.nodes])
  const other = randomNode(choices, 0)
  const changed = choices.pick<(old: Json) => Json>([
    () => ({ ...other, metadata: { ...field(other, 'metadata'), name } }),
    () => ({ ...old, spec: other['spec'] }),
    () => ({ ...old, metadata: { name, labels: field(other, 'metadata')['labels'] } }),
    () => ({ ...old, status: { ...field(old, 'status'), images: field(other, 'status')['images'] ?? [] } }),
    () => ({ ...old, status: { ...field(old, 'status'), images: resizedImages(choices, field(old, 'status')) } }),
  ])(old)
  known.nodes.set(name, changed)
  return { setNode: changed }
}

const REPORTED_IMAGE = 'registry.example/news:v1'

/** Returns updates of a node that report a rare image, mostly several times with different sizes. */
function reportImage(choices: Choices, known: KnownObjects): readonly Json[] {
  const [name, old] = choices.pick([...known.nodes])
  const sizes = choices.list(1, 3, () => choices.integer(1, 900) * 1024 * 1024)
  const news = sizes.map((sizeBytes) => ({
    ...old,
    status: { ...field(old, 'status'), images: [{ names: [REPORTED_IMAGE], sizeBytes }] },
  }))
  known.nodes.set(name, news.at(-1) ?? old)
  return news.map((setNode) => ({ setNode }))
}

function withImage(question: Json, image: string): Json {
  const candidate = question['pod'] as Json
  const [first, ...others] = field(candidate, 'spec')['containers'] as Json[]
  return { ...candidate, spec: { ...field(candidate, 'spec'), containers: [{ ...first, image }, ...others] } }
}

function resizedImages(choices: Choices, status: Json): readonly Json[] {
  return ((status['images'] ?? []) as Json[]).map((image) => ({
    ...image,
    sizeBytes: choices.integer(1, 900) * 1024 * 1024,
  }))
}

/** Deletes a node, sometimes an unknown one. The first node stays, so that the cluster is never empty. */
function deleteNode(choices: Choices, known: KnownObjects): Json {
  const name = choices.pick([...known.nodes.keys()].slice(1).concat('gone'))
  known.nodes.delete(name)
  return { deleteNode: name }
}

function addPod(choices: Choices, known: KnownObjects, uid: string): Json {
  const made = randomPod(choices, uid, choices.chance(0.9) ? choices.pick([...known.nodes.keys()]) : undefined)
  known.pods.set(uid, made)
  return { setPod: made }
}

/** Updates a pod, but never its node: that would stop the real scheduler. */
function changePod(choices: Choices, known: KnownObjects): Json {
  const [uid, old] = choices.pick([...known.pods])
  const other = randomPod(choices, uid, field(old, 'spec')['nodeName'] as string | undefined)
  const changed = choices.pick<() => Json>([
    () => other,
    () => ({ ...old, status: { ...field(old, 'status'), phase: choices.pick(['Succeeded', 'Failed', 'Running']) } }),
    () => ({
      ...old,
      metadata: { ...field(old, 'metadata'), labels: field(other, 'metadata')['labels'] },
    }),
  ])()
  known.pods.set(uid, changed)
  return { setPod: changed }
}

function deletePod(choices: Choices, known: KnownObjects): Json {
  const [uid, old] = choices.pick([...known.pods])
  known.pods.delete(uid)
  return { deletePod: old }
}

/** Assumes a pod and returns what happens next: the pod is bound, forgotten, deleted, or still pending. */
function assumePod(choices: Choices, known: KnownObjects, uid: string): readonly Json[] {
  const placed = randomPod(choices, uid, choices.pick([...known.nodes.keys()]))
  const assumed = { ...placed, status: {} }
  const outcome = choices.pick(['bound', 'forgotten', 'waiting', 'unbound news', 'deleted'])
  if (outcome === 'bound') {
    known.pods.set(uid, placed)
    return [{ assume: assumed }, { setPod: placed }]
  }
  if (outcome === 'forgotten') return [{ assume: assumed }, { forget: assumed }]
  if (outcome === 'deleted') return [{ assume: assumed }, { deletePod: assumed }]
  if (outcome === 'waiting') return [{ assume: assumed }]
  const { nodeName: _nodeName, ...spec } = field(assumed, 'spec')
  return [{ assume: assumed }, { setPod: { ...assumed, spec } }]
}

/** Generates a question of kind `events`: `everything` after a series of events. */
export function eventsQuestion(choices: Choices): Json {
  const question = everythingQuestion(choices)
  const nodes = question['nodes'] as Json[]
  const pods = (question['pods'] ?? []) as Json[]
  const known: KnownObjects = {
    nodes: new Map(nodes.map((each) => [String(field(each, 'metadata')['name']), each])),
    pods: new Map(pods.map((each) => [String(field(each, 'metadata')['uid']), each])),
  }
  const hasNews = choices.chance(0.3)
  const events = choices.list(1, 12, (index) => {
    const kind = choices.number()
    if (hasNews && kind < 0.2) return reportImage(choices, known)
    if (kind < 0.1) return [addNode(choices, known)]
    if (kind < 0.4) return [changeNode(choices, known)]
    if (kind < 0.5) return [deleteNode(choices, known)]
    if (kind < 0.6) return assumePod(choices, known, `a${index}`)
    if (kind < 0.7 || known.pods.size === 0) return [addPod(choices, known, `e${index}`)]
    return [kind < 0.85 ? changePod(choices, known) : deletePod(choices, known)]
  })
  return { ...question, ...(hasNews && { pod: withImage(question, REPORTED_IMAGE) }), events: events.flat() }
}
