import type { ResourceRef } from '@berth/k8s-client'
import { z } from 'zod'
import type { SchemaNode } from '../helm-schema.ts'
import { structuralSchema } from './structural-schema.ts'

/** The schemas of the objects, which the advertiser exports. */
export interface ObjectSchemas {
  readonly resource: ResourceRef
  readonly spec: z.ZodType
  readonly status: z.ZodType
}

/** Columns of `kubectl get`; the column of priority 1 appears only with `--output wide`. */
const columns = [
  { name: 'Resource', type: 'string', jsonPath: '.spec.resourceName', description: 'Name of the resource.' },
  { name: 'Units', type: 'integer', jsonPath: '.spec.units', description: 'Units per node, if they are fixed.' },
  { name: 'Source', type: 'string', jsonPath: '.spec.source.plugin', description: 'Source that computes the units.' },
  { name: 'Nodes', type: 'integer', jsonPath: '.status.nodesMatched', description: 'Nodes that the object selects.' },
  {
    name: 'Offering',
    type: 'integer',
    jsonPath: '.status.nodesAdvertised',
    description: 'Nodes that offer the resource as declared.',
  },
  {
    name: 'Advertised',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Advertised')].status",
    description: 'Whether all of these nodes offer the resource as declared.',
  },
  {
    name: 'Reason',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='Advertised')].reason",
    description: 'Reason of Advertised.',
  },
  {
    name: 'Precedence',
    type: 'integer',
    jsonPath: '.spec.precedence',
    description: 'Precedence among overlapping objects.',
    priority: 1,
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
] as const

/** Returns the CustomResourceDefinition of ExtendedResource objects. */
export function extendedResourceDefinition({ resource, spec, status }: ObjectSchemas): SchemaNode {
  const { group, version, plural, kind } = resource
  const convert = (schema: z.ZodType, path: string): SchemaNode =>
    structuralSchema(z.toJSONSchema(schema, { io: 'input' }), path)
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: ['xres'],
        categories: ['berth'],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description:
                'An amount of one extended resource on each selected node. The advertiser of Berth writes it to the status of the nodes, and withdraws it when the object is deleted.',
              required: ['spec'],
              properties: {
                apiVersion: { type: 'string', description: 'Version of this API.', maxLength: 64 },
                kind: { type: 'string', description: kind, maxLength: 64 },
                metadata: { type: 'object' },
                spec: convert(spec, 'spec'),
                status: convert(status, 'status'),
              },
            },
          },
        },
      ],
    },
  }
}
