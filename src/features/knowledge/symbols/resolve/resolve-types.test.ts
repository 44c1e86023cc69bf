import { describe, expect, it } from 'vitest';
import { openResolving } from '../../../../../test/support/graph/resolving.ts';

const { resolve } = openResolving();

describe('a call resolves', () => {
  it('to what the type around it inherits if its receiver says so, never to that type itself', async () => {
    const python = await resolve({
      'a.py': `from b import Base
from lib import Other

class A(Base):
    def save(self):
        super().save()
        super().own()
    def own(self): pass

class B(Other):
    def save(self):
        super().save()
`,
      'b.py': 'class Base:\n    def save(self): pass\n',
    });
    expect(python.filter((line) => line.startsWith('call save') || line.startsWith('call own'))).toEqual([
      'call save -> b.py#Base.save 90 imported',
      'call own -> ?',
      'call save -> ?',
    ]);
    const typescript = await resolve({
      'a.ts': "import { Base } from './b.ts';\nclass A extends Base {\n  save() { super.save(); }\n}\n",
      'b.ts': 'export class Base {\n  save() {}\n}\n',
    });
    expect(typescript).toContain('call save -> b.ts#Base.save 90 imported');
  });

  it('by the result that a function declares, and to nothing if that is from elsewhere', async () => {
    const go = await resolve({
      'main.go': `package main

import (
	"net/http"

	"example.org/chat/room"
)

func main() {
	r, err := room.New()
	r.Enter(err)
	res, _ := http.Get("x")
	res.Leave()
	c := room.Client()
	c.Leave()
}
`,
      'room/room.go':
        'package room\n\nimport "net/http"\n\ntype Room struct{}\n\nfunc New() (*Room, error) { return nil, nil }\n\nfunc Client() *http.Client { return nil }\n\nfunc (r *Room) Enter(err error) {}\nfunc (r *Room) Leave() {}\n',
      'go.mod': 'module example.org/chat\n',
    });
    expect(go.filter((line) => /(?:Enter|Leave)/.test(line))).toEqual([
      'call Enter -> room/room.go#Room.Enter 90 imported',
      'call Leave -> ?',
    ]);
    const typescript = await resolve({
      'a.ts':
        "import { open } from './b.ts';\nasync function run() {\n  const door = await open();\n  door.shut();\n}\n",
      'b.ts':
        'export class Door {\n  shut() {}\n}\nexport async function open(): Promise<Door> {\n  return new Door();\n}\n',
    });
    expect(typescript).toContain('call shut -> b.ts#Door.shut 90 imported');
    const python = await resolve({
      'a.py': 'import b\n\nasync def run():\n    door = await b.door()\n    door.shut()\n',
      'b.py': 'class Door:\n    def shut(self): pass\n\nasync def door() -> Door:\n    return Door()\n',
    });
    expect(python).toContain('call shut -> b.py#Door.shut 90 imported');
  });

  it('by the variable of the innermost function, also one without a name', async () => {
    const found = await resolve({
      'a.go': `package a

type Room struct{}
type Door struct{}

func (r *Room) Enter() {}
func (d *Door) Shut() {}

func run(x *Room) {
	use(func(x *Door) { x.Shut() })
	x.Enter()
}
`,
    });
    expect(found.filter((line) => line.startsWith('call'))).toEqual([
      'call Shut -> a.go#Door.Shut 100 same_file',
      'call Enter -> a.go#Room.Enter 100 same_file',
      'call use -> ?',
    ]);
  });

  it('to nothing that only has its name if the receiver is an expression, or a member of a typed variable', async () => {
    const found = await resolve({
      'a.go': `package a

import "net/http"

type Bag struct{}

func (b *Bag) Collect() {}

func run(r *http.Request, unknown any) {
	r.Form.Collect()
	(<-unknown).Collect()
}
`,
    });
    expect(found.filter((line) => line.startsWith('call'))).toEqual([
      // A type of elsewhere has no member of this repository.
      'call Collect -> a.go#Bag.Collect 20 candidates',
      'call Collect -> ?',
    ]);
  });

  it('to a definition that is exported under another name, or as the default', async () => {
    const found = await resolve({
      'a.ts': "import { Shown } from './b.ts';\nimport anything from './c.ts';\nnew Shown();\nanything();\n",
      'b.ts': 'class Hidden {}\nexport { Hidden as Shown };\n',
      'c.ts': 'function run() {}\nexport { run as default };\n',
    });
    expect(found).toEqual([
      'imports b.ts',
      'imports c.ts',
      'new Shown -> b.ts#Hidden 90 imported',
      'call anything -> c.ts#run 90 imported',
    ]);
  });

  it('to what a module that is called as a whole exports', async () => {
    const found = await resolve({
      'a.cjs': "const wipe = require('./b.cjs');\nconst named = require('./c.cjs');\nwipe();\nnamed();\n",
      'b.cjs': 'function wipeRows() {}\nmodule.exports = wipeRows;\n',
      'c.cjs': 'function other() {}\nmodule.exports = { other };\n',
    });
    const calls = ['call wipe -> b.cjs#wipeRows 90 imported', 'call named -> ?'];
    expect(found).toEqual(['imports b.cjs', 'imports c.cjs', ...calls]);
  });
});
