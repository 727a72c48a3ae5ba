import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { code, markdownTable } from './markdown-table.ts'
import { appConfigs, objectSchemas, sourceArgs } from '../chart/app-configs.ts'
import { extendedResourceDefinition } from '../chart/definition/extended-resource-definition.ts'
import { helmSchema, type SchemaNode } from '../chart/helm-schema.ts'
import { withPluginArgs } from '../chart/plugin-args.ts'
import { valueKeys, type ValueSchema } from '../chart/value-keys.ts'
import { valuesSchema } from '../chart/values-schema.ts'
import { alertGroups } from '../observability/alerts/alert-groups.ts'
import { dashboards } from '../observability/dashboards/dashboards.ts'
import { grafanaJson } from '../observability/dashboards/grafana-json.ts'
import { prometheusGroups } from '../observability/prometheus-groups.ts'

const CHART = 'charts/berth'
const BEGIN = '<!-- values: written by tools/generate.ts -->'
const END = '<!-- end of values -->'

/** Returns the generated files of the chart: path from the root of the repository -> text. */
export async function chartFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const args = Object.entries(await sourceArgs(root)).map(([name, schema]) => [name, jsonSchema(schema)] as const)
  const plain = helmSchema(jsonSchema(valuesSchema(await appConfigs(root))), Object.fromEntries(args))
  const schema = withPluginArgs(plain)
  const values: unknown = parse(readFileSync(join(root, CHART, 'values.yaml'), 'utf8'))
  const readme = readFileSync(join(root, CHART, 'README.md'), 'utf8')
  return new Map([
    [`${CHART}/values.schema.json`, `${JSON.stringify(schema, undefined, 2)}\n`],
    [
      `${CHART}/files/extended-resource-definition.yaml`,
      definitionText(extendedResourceDefinition(await objectSchemas(root))),
    ],
    [`${CHART}/files/alerts.yaml`, alertsText()],
    ...dashboards.map(
      (dashboard) =>
        [
          `${CHART}/files/dashboards/${dashboard.name}.json`,
          `${JSON.stringify(grafanaJson(dashboard), undefined, 2)}\n`,
        ] as const,
    ),
    [`${CHART}/README.md`, withTable(readme, valuesTable(schema as ValueSchema, values))],
  ])
}

function definitionText(definition: SchemaNode): string {
  const header = '# Written by tools/generate.ts from apps/advertiser/src/objects/definition.\n'
  return header + stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false })
}

function alertsText(): string {
  const header =
    '# Written by tools/generate.ts from tools/observability/alerts. The chart replaces $job and $runbook.\n'
  return header + stringify({ groups: prometheusGroups(alertGroups) }, { lineWidth: 0, aliasDuplicateObjects: false })
}

function jsonSchema(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
}

function valuesTable(schema: ValueSchema, values: unknown): string {
  const rows = valueKeys(schema, values).map(({ path, defaultJson, description }) => [
    code(path),
    code(defaultJson),
    description,
  ])
  return markdownTable(['key', 'default', 'meaning'], rows)
}

function withTable(readme: string, table: string): string {
  const [before, rest = ''] = readme.split(BEGIN)
  const after = rest.split(END)[1]
  if (after === undefined) throw new Error(`${CHART}/README.md has no ${BEGIN} … ${END}`)
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`
}
