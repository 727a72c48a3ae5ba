import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appFiles, imageEnvironment, imageLabels, imageSpecs, kubeSchedulerText } from './image-spec.ts'

const dockerfile = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8').replaceAll('\\\n', ' ')

/** The words of each instruction of a stage. */
function instructions(stage: string): ReadonlyMap<string, string> {
  const [, text = ''] = new RegExp(`^FROM \\S+ AS ${stage}\\n(.*?)(?=^FROM |$(?![^]))`, 'ms').exec(dockerfile) ?? []
  return new Map([...text.matchAll(/^([A-Z]+) +(.*)$/gm)].map(([, name = '', words = '']) => [name, words]))
}

test.for(imageSpecs)(
  'the image berth$variant runs as its stage of the Dockerfile',
  ({ variant, user, entrypoint, cmd }) => {
    const stage = instructions(variant === '' ? 'berth' : 'kube-scheduler')
    expect(stage.get('USER')).toBe(user)
    expect(JSON.parse(stage.get('ENTRYPOINT') ?? '')).toEqual(entrypoint)
    expect(JSON.parse(stage.get('CMD') ?? '')).toEqual(cmd)
  },
)

test('the images have the environment, the labels, the bundles and the notices of the Dockerfile', () => {
  const stage = instructions('berth')
  expect(stage.get('ENV')?.split(/ +/)).toEqual(imageEnvironment)
  const version = /VERSION=(.*)/.exec(stage.get('ARG') ?? '')?.[1] ?? ''
  for (const name of Object.keys(imageLabels('1.0.0'))) expect(stage.get('LABEL')).toContain(`${name}=`)
  expect(version).toMatch(/^\d/)
  const copied = [...dockerfile.matchAll(/^COPY (apps\S+) \/app\/(\S+)\/$/gm)].map(([, from, to]) => [from, to])
  expect(copied).toEqual(appFiles.map(([source, target]) => [source, target.split('/')[0]]))
  expect(dockerfile).toContain(JSON.stringify(kubeSchedulerText).slice(1, -1).replaceAll('\\"', '"'))
})
