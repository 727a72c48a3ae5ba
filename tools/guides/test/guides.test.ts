import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { systemClock } from '@berth/clock'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { guideBlocks, indentedBlocks, type GuideBlock } from '../guide-blocks.ts'
import { createReader, type Reader } from '../reader.ts'

const root = join(import.meta.dirname, '../../..')
const guides = globSync('docs/guides/*.md', { cwd: root }).toSorted()
const read = (guide: string): string => readFileSync(join(root, guide), 'utf8')
const blocksOf = (guide: string): readonly GuideBlock[] => guideBlocks(basename(guide), read(guide))
const template = 'helm template berth charts/berth --namespace berth-system --kube-version 1.36.3'
const tsc = `${join(root, 'node_modules/.bin/tsc')} --noEmit --strict --skipLibCheck --target es2024 --types node
 --module nodenext --allowImportingTsExtensions --customConditions @berth/source`.replaceAll('\n', '')

/** Commands for what the guide expects before its first block. */
const before: Readonly<Record<string, string>> = {
  'deliver-plugins.md': 'kubectl create namespace berth-system',
  // The package of the chart is a file of a release.
  'install.md': 'helm package charts/berth',
  'replace-kube-scheduler.md': `echo '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kube-scheduler"}}' |
    kubectl create --namespace kube-system --filename -`,
  'write-a-plugin.md': `kubectl run web-0 --image nginx --overrides '{"spec":{"schedulerName":"berth-scheduler"}}'`,
}
/** Commands before a block that repeats an earlier alternative. */
const again: Readonly<Record<string, string>> = {
  'deliver-plugins.md': 'kubectl --namespace berth-system delete configmap my-plugins --ignore-not-found',
}

let cluster: EmbeddedCluster

beforeAll(async () => {
  const packages = ['@berth/scheduler', '@berth/plugin-api'].map((name) => `--filter=${name}`)
  await promisify(execFile)('turbo', ['run', 'build', '--output-logs=errors-only', ...packages], { cwd: root })
  cluster = await startEmbeddedCluster({ nodes: 2, schedulesPods: true, clock: systemClock(), random: Math.random })
})
afterAll(() => cluster[Symbol.asyncDispose]())

async function pass(reader: Reader, script: string, until?: string): Promise<void> {
  const { status, output } = await reader.run(script, until)
  if (status !== 0 || (until !== undefined && !output.includes(until)))
    throw new Error(`${script} ended with ${status}: ${output}`)
}

/** Runs one block as a reader would. Undefined if no runner knows the block. */
function runnerOf({
  guide,
  language,
  text,
  file,
  e2e,
  testedBy,
}: GuideBlock): ((reader: Reader) => Promise<void>) | undefined {
  if (e2e !== undefined && !existsSync(join(root, e2e))) return undefined
  if (testedBy !== undefined) {
    // The test runs the blocks that name it; a test that does not read them does not run them.
    const test = join(root, testedBy)
    const runsBlocks = existsSync(test) && readFileSync(test, 'utf8').includes('testedBy')
    return runsBlocks ? () => Promise.resolve() : undefined
  }
  if (language === 'sh') {
    const isProgram = text.startsWith('node apps/')
    // A program that needs its output to be read runs until it has loaded the plugin.
    if (isProgram) return (reader) => pass(reader, text.trim(), 'Plugin loaded')
    return async (reader) => {
      const setup = again[guide]
      if (setup !== undefined) await pass(reader, setup)
      await pass(reader, text)
    }
  }
  if (language === 'dockerfile') return (reader) => reader.write('Dockerfile', text)
  if (language === 'yaml') return yamlRunner(text, file)
  if (language === 'ts' && file !== undefined) {
    return async (reader) => {
      await reader.write(file, text)
      await pass(reader, `${tsc} ${file}`)
      const isTest = file.endsWith('.test.ts')
      await pass(reader, isTest ? `node -C @berth/source --test ${file}` : `kubectl berth plugin test ${file}`)
    }
  }
  return undefined
}

/** Applies a kubeadm patch to a manifest, as kubeadm does: it must replace the image of the container that it names. */
async function patchManifest(reader: Reader, file: string, text: string): Promise<void> {
  const { spec } = parse(text) as { spec: { containers: readonly { name: string; image: string }[] } }
  const [container] = spec.containers
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'kube-scheduler' },
    spec: { containers: [{ name: 'kube-scheduler', image: 'registry.k8s.io/kube-scheduler:v1.36.3' }] },
  }
  await reader.write('manifest.json', JSON.stringify(manifest))
  await reader.write(file, text)
  const patch = `kubectl patch --local --type strategic --filename manifest.json --patch-file ${file}`
  await pass(reader, `test "$(${patch} --output 'jsonpath={.spec.containers[*].image}')" = "${container?.image ?? ''}"`)
}

/** Writes a YAML block to its file, and validates it: a profile of the scheduler, or values of the chart. */
function yamlRunner(text: string, file: string | undefined): ((reader: Reader) => Promise<void>) | undefined {
  const value = parse(text) as Readonly<Record<string, unknown>>
  if (value['kind'] === 'KubeSchedulerConfiguration') {
    return async (reader) => {
      await reader.write('scheduler.yaml', text)
      const plugins = existsSync(join(reader.folder, 'my-plugins')) ? '--plugin-dir my-plugins' : ''
      await pass(reader, `kubectl berth capacity --scheduler-config scheduler.yaml ${plugins}`)
    }
  }
  if (file?.endsWith('+strategic.yaml') === true) return (reader) => patchManifest(reader, file, text)
  const chartKeys = parse(readFileSync(join(root, 'charts/berth/values.yaml'), 'utf8')) as object
  const isValues = Object.keys(value).every((key) => key in chartKeys)
  // The chart's schema contains the schema of the extender's configuration.
  const wrapped = file === 'extender.yaml' ? JSON.stringify({ extender: { config: value } }) : undefined
  const values = isValues ? text : wrapped
  if (values === undefined) return undefined
  return async (reader) => {
    await reader.write(file ?? 'values.yaml', text)
    await reader.write('checked.yaml', values)
    await pass(reader, `${template} --values charts/berth/profiles/full.yaml --values checked.yaml > rendered.yaml`)
  }
}

describe.for(guides)('%s', (guide) => {
  const blocks = blocksOf(guide)

  test('has a runner for each code block', () => {
    const without = blocks.filter((block) => runnerOf(block) === undefined)
    expect(without.map(({ line, language }) => `line ${line}: ${language}`)).toEqual([])
    expect(indentedBlocks(read(guide))).toEqual([])
  })

  test('every code block does what the guide says', async () => {
    await using reader = await createReader(root, cluster.served?.kubeconfig() ?? '')
    const [plugin] = blocksOf('docs/guides/write-a-plugin.md')
    await reader.write('quiet-hours.ts', plugin?.text ?? '')
    await reader.write('package.json', '{ "name": "quiet-hours", "version": "1.0.0", "type": "module" }')
    const setup = before[basename(guide)]
    if (setup !== undefined) await pass(reader, setup)
    const failures: string[] = []
    for (const block of blocks) {
      // A later block may need the result of an earlier one.
      if (failures.length > 0) break
      await runnerOf(block)?.(reader).catch((error: unknown) => failures.push(`line ${block.line}: ${String(error)}`))
    }
    expect(failures).toEqual([])
    await pass(reader, 'kubectl delete namespace berth-system --ignore-not-found --wait=false')
  })
})

describe('a block that no runner knows', () => {
  const block = (markdown: string) => guideBlocks('x.md', markdown).map((found) => runnerOf(found) !== undefined)

  test.for([
    { it: 'a language without a runner', markdown: '```go\npackage x\n```\n' },
    { it: 'TypeScript without a file name', markdown: '```ts\nconst x = 1\n```\n' },
    { it: 'YAML of an unknown form', markdown: '```yaml\nfoo: 1\n```\n' },
    { it: 'a test that does not run it', markdown: '<!-- tested by: tools/new.ts -->\n```sh\ntrue\n```\n' },
    { it: 'an e2e check that does not exist', markdown: '<!-- e2e: e2e/none.test.ts -->\n```sh\ntrue\n```\n' },
  ])('is noticed: $it', ({ markdown }) => {
    expect(block(markdown)).toEqual([false])
  })

  test('is noticed: code that is only indented', () => {
    expect(indentedBlocks('Run\n\n    npm test\n\n```sh\n\n    x\n```\n')).toEqual([3])
  })

  test.for([
    { it: 'code in a list item', markdown: '- Run:\n\n      npm test\n', lines: [3] },
    { it: 'code after a wrapped list item', markdown: '1. Run\n   this:\n\n       npm test\n', lines: [4] },
    { it: 'the text of a nested list item', markdown: '- a\n  - b\n\n    more of b\n', lines: [] },
    {
      it: 'text after a block in a list item',
      markdown: '- - a\n\n    ```sh\n    x\n    ```\n\n    more\n',
      lines: [],
    },
  ])('only indented code is noticed: $it', ({ markdown, lines }) => {
    expect(indentedBlocks(markdown)).toEqual(lines)
  })

  test('blocks in lists keep their text', () => {
    expect(guideBlocks('x.md', '- a\n\n  ```sh\n  one\n  two\n  ```\n')).toMatchObject([
      { line: 3, text: 'one\ntwo\n' },
    ])
  })
})
