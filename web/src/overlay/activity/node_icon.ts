import { Brain, Eye, FilePen, Globe, Inbox, MessageSquare, Search, Terminal, Wrench } from 'lucide';
import type { IconNode } from 'lucide';
import type { HudNode } from '../../hud/tree.ts';

const tools: Readonly<Record<string, IconNode>> = {
  read: Eye,
  write: FilePen,
  edit: FilePen,
  append: FilePen,
  exec: Terminal,
  web_search: Search,
  web_fetch: Globe,
};

/** Returns the icon for a node's type or tool, or a wrench if the tool is unknown. */
export function nodeIcon(node: HudNode): IconNode {
  if (node.type === 'turn') return MessageSquare;
  if (node.type === 'think') return Brain;
  if (node.type === 'received') return Inbox;
  return node.tool !== undefined && Object.hasOwn(tools, node.tool) ? tools[node.tool]! : Wrench;
}
