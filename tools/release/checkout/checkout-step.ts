import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { runProgram } from '../run-program.ts'
import { ReleaseError, type ReleaseStep } from '../step.ts'
import { publicPackages } from '../npm/npm-step.ts'
import { bundledPackages } from '../sbom/bundled-packages.ts'
import { appFiles } from '../images/image-spec.ts'
import { changesetVersions, nextPatch, patchOf } from './changeset-versions.ts'
import { refusedLicences } from './allowed-licences.ts'
import { packagesWithoutNotice } from './packages-without-notice.ts'

/** Checks the checkout: versions, lockfile, licences. */
export const checkoutStep: ReleaseStep = {
  name: 'checkout',
  summary: 'versions, frozen lockfile and licences',
  build: async () => [],
  async check({ root, version, workDir }) {
    const differing = versionsOf(root).filter(([, found]) => found !== version)
    if (differing.length > 0)
      throw new ReleaseError(
        `these do not have version ${version}: ${differing.map((one) => one.join(' ')).join(', ')}`,
      )
    await runProgram('node', [join(root, 'tools/pnpm.mjs'), 'install', '--frozen-lockfile', '--lockfile-only'], {
      cwd: root,
    })
    const versioned = await checkChangesets(root, version, workDir)
    const bundled = await bundledPackages(root)
    const refused = refusedLicences(bundled)
    if (refused.length > 0)
      throw new ReleaseError(`licences that are not in allowed-licences.ts: ${refused.join(', ')}`)
    const notices = appFiles.flatMap(([source]) =>
      source.endsWith('NOTICES.txt') ? readFileSync(join(root, source), 'utf8') : [],
    )
    const unnamed = packagesWithoutNotice(bundled, notices)
    if (unnamed.length > 0) throw new ReleaseError(`NOTICES.txt of the apps lack ${unnamed.join(', ')}`)
    return [
      `${versionsOf(root).length} manifests have version ${version}`,
      versioned,
      'the lockfile fits the manifests',
      `the licences of all ${bundled.length} bundled packages are allowed, and NOTICES.txt has their texts`,
    ]
  },
}

/** Checks that no changeset waits, and that the next one would raise all packages together. */
async function checkChangesets(root: string, version: string, workDir: string): Promise<string> {
  const differing = [...(await changesetVersions(root, workDir))].filter(([, found]) => found !== version)
  if (differing.length > 0)
    throw new ReleaseError(
      `changesets wait, which give ${differing.map((one) => one.join(' ')).join(', ')} instead of ${version}: run changeset version (docs/releasing.md)`,
    )
  const [first] = publicPackages(root)
  const next = nextPatch(version)
  const raised = await changesetVersions(root, workDir, patchOf(first?.name ?? ''))
  const left = [...raised].filter(([, found]) => found !== next)
  if (left.length > 0)
    throw new ReleaseError(`a changeset raises some packages only: ${left.map((one) => one.join(' ')).join(', ')}`)
  return `changeset version gives ${version} for all ${raised.size} packages, and ${next} after one more changeset`
}

/** The versions that must be equal in a release, with the files that state them. */
export function versionsOf(root: string): readonly (readonly [file: string, version: string])[] {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const chart = parse(read('charts/berth/Chart.yaml')) as { readonly version: string; readonly appVersion: string }
  const [, dockerfile = ''] = /^ARG VERSION=(.*)$/m.exec(read('Dockerfile')) ?? []
  return [
    ...publicPackages(root).map(({ path, version }) => [`${path}/package.json`, version] as const),
    ['charts/berth/Chart.yaml version', chart.version],
    ['charts/berth/Chart.yaml appVersion', chart.appVersion],
    ['Dockerfile', dockerfile],
  ]
}
