/** A `spec` of an ExtendedResource, and whether an API server and the advertiser accept it. */
export interface SpecSample {
  readonly it: string
  readonly spec: Readonly<Record<string, unknown>>
  /** A part of the API server's message; undefined for a valid spec. */
  readonly refusal?: string
}

const resourceName = 'example.com/dongle'
const everywhere = { selector: {} }
const expression = (more: object): object => ({ selector: { matchExpressions: [{ key: 'zone', ...more }] } })
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `node-${i}`)
const labels = (count: number): object => Object.fromEntries(names(count).map((name) => [name, 'x']))

/** Valid and invalid specs, at the bounds of every field. */
export const specSamples: readonly SpecSample[] = [
  { it: 'units on every node', spec: { resourceName, units: 0, nodes: everywhere } },
  { it: 'the most units', spec: { resourceName, units: Number.MAX_SAFE_INTEGER, nodes: everywhere } },
  { it: 'the most names', spec: { resourceName, units: 4, precedence: 1_000, nodes: { names: names(256) } } },
  { it: 'the most labels', spec: { resourceName, units: 4, nodes: { selector: { matchLabels: labels(16) } } } },
  {
    it: 'a source with arguments of both types',
    spec: {
      resourceName,
      source: { plugin: 'node-label', args: { label: 'example.com/dongles', max: 8 } },
      nodes: everywhere,
    },
  },
  {
    it: 'a value of In',
    spec: { resourceName, units: 1, nodes: expression({ operator: 'In', values: ['a'] }) },
  },
  { it: 'Exists', spec: { resourceName, units: 1, nodes: expression({ operator: 'Exists' }) } },
  {
    it: 'neither units nor source',
    spec: { resourceName, nodes: everywhere },
    refusal: 'expected either units or source',
  },
  {
    it: 'units and source',
    spec: { resourceName, units: 1, source: { plugin: 'node-label' }, nodes: everywhere },
    refusal: 'expected either units or source',
  },
  {
    it: 'neither names nor selector',
    spec: { resourceName, units: 1, nodes: {} },
    refusal: 'expected either names or selector',
  },
  {
    it: 'names and selector',
    spec: { resourceName, units: 1, nodes: { names: ['node-a'], selector: {} } },
    refusal: 'expected either names or selector',
  },
  { it: 'no nodes', spec: { resourceName, units: 1 }, refusal: 'spec.nodes: Required' },
  {
    it: 'a name without a domain',
    spec: { resourceName: 'dongle', units: 1, nodes: everywhere },
    refusal: 'spec.resourceName',
  },
  {
    it: 'a name of Kubernetes',
    spec: { resourceName: 'example.kubernetes.io/dongle', units: 1, nodes: everywhere },
    refusal: 'spec.resourceName',
  },
  { it: 'fewer than no units', spec: { resourceName, units: -1, nodes: everywhere }, refusal: 'spec.units' },
  { it: 'half a unit', spec: { resourceName, units: 1.5, nodes: everywhere }, refusal: 'spec.units' },
  { it: 'units as text', spec: { resourceName, units: '4', nodes: everywhere }, refusal: 'spec.units' },
  {
    it: 'a precedence above 1000',
    spec: { resourceName, units: 1, precedence: 1_001, nodes: everywhere },
    refusal: 'spec.precedence',
  },
  { it: 'no name', spec: { resourceName, units: 1, nodes: { names: [] } }, refusal: 'spec.nodes.names' },
  { it: 'too many names', spec: { resourceName, units: 1, nodes: { names: names(257) } }, refusal: 'spec.nodes.names' },
  {
    it: 'a name twice',
    spec: { resourceName, units: 1, nodes: { names: ['node-a', 'node-a'] } },
    refusal: 'spec.nodes.names[1]',
  },
  {
    it: 'too many labels',
    spec: { resourceName, units: 1, nodes: { selector: { matchLabels: labels(17) } } },
    refusal: 'spec.nodes.selector.matchLabels',
  },
  {
    it: 'a label key that is too long',
    spec: { resourceName, units: 1, nodes: { selector: { matchLabels: { ['k'.repeat(318)]: 'x' } } } },
    refusal: 'a label key has at most 317 characters',
  },
  {
    it: 'In without values',
    spec: { resourceName, units: 1, nodes: expression({ operator: 'In' }) },
    refusal: 'In and NotIn take at least one value',
  },
  {
    it: 'Exists with values',
    spec: { resourceName, units: 1, nodes: expression({ operator: 'Exists', values: ['a'] }) },
    refusal: 'In and NotIn take at least one value',
  },
  {
    it: 'an unknown operator',
    spec: { resourceName, units: 1, nodes: expression({ operator: 'Near', values: ['a'] }) },
    refusal: 'operator',
  },
  {
    it: 'an argument that is a list',
    spec: { resourceName, source: { plugin: 'node-label', args: { label: ['a'] } }, nodes: everywhere },
    refusal: 'spec.source.args.label',
  },
  {
    it: 'an argument that is too long',
    spec: { resourceName, source: { plugin: 'node-label', args: { label: 'x'.repeat(2_049) } }, nodes: everywhere },
    refusal: 'spec.source.args.label',
  },
  {
    it: 'too many arguments',
    spec: { resourceName, source: { plugin: 'node-label', args: labels(17) }, nodes: everywhere },
    refusal: 'spec.source.args',
  },
  {
    it: 'a source with bounds',
    spec: {
      resourceName,
      source: { plugin: 'node-label', min: 2, max: 8, step: 2, keepSeconds: 300 },
      nodes: everywhere,
    },
  },
  {
    it: 'a minimum above the maximum',
    spec: { resourceName, source: { plugin: 'node-label', min: 9, max: 8 }, nodes: everywhere },
    refusal: 'min is at most max',
  },
  {
    it: 'a maximum between two steps',
    spec: { resourceName, source: { plugin: 'node-label', max: 7, step: 2 }, nodes: everywhere },
    refusal: 'min and max are multiples of step',
  },
  {
    it: 'a value that is kept for less than its age',
    spec: { resourceName, source: { plugin: 'node-label', keepSeconds: 299 }, nodes: everywhere },
    refusal: 'keepSeconds is at least maxAgeSeconds',
  },
]
