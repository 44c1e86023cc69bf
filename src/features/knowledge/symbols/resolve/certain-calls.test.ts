import { describe, expect, it } from 'vitest';
import { type Files, openResolving, tableOf } from '../../../../../test/support/graph/resolving.ts';
import { certaintyOf } from '../../certainty.ts';
import { resolveFile } from './resolve-file.ts';

const { parse, resolve } = openResolving();

/** Returns the targets of the calls of a name in the first file, with their certainty. */
async function targetsOf(name: string, files: Files): Promise<string[]> {
  const parsed = await parse(files);
  return resolveFile(tableOf(parsed, files), parsed[0]!)
    .uses.filter(({ use }) => use.name === name && use.kind === 'call')
    .flatMap((found) =>
      found.targets.map(
        ({ path, symbol }) => `${certaintyOf(found)} ${path}#${symbol.qualifiedName} ${found.rule}`,
      ),
    );
}

const others = {
  'other.ts': 'export class Other {\n  send() {}\n  close() {}\n}\nexport class More {\n  send() {}\n}\n',
};

describe('a call is certain', () => {
  it.each<readonly [string, Files, string]>([
    [
      'fields and results in TypeScript',
      {
        'a.ts':
          "import { Shop } from './shop.ts';\nfunction run(shop: Shop) {\n  shop.client.open(1, ')').send();\n}\n",
        'shop.ts':
          "import { Client } from './client.ts';\nexport class Shop {\n  readonly client: Client;\n}\n",
        'client.ts':
          'export class Client {\n  open(): Room {\n    return new Room();\n  }\n}\nexport class Room {\n  send() {}\n}\n',
        ...others,
      },
      'client.ts#Room.send',
    ],
    [
      'a variable with the value of a field in TypeScript',
      {
        'a.ts':
          "import type { Shop } from './shop.ts';\nfunction run(shop: Shop) {\n  const room = shop.room;\n  room?.send();\n}\n",
        'shop.ts': 'export class Shop {\n  room?: Room;\n}\nexport class Room {\n  send() {}\n}\n',
        ...others,
      },
      'shop.ts#Room.send',
    ],
    [
      'a variable with the value of a property in Kotlin, which may be null',
      {
        'a.kt': 'package a\n\nfun run(shop: Shop) {\n  val room = shop.room\n  room?.send()\n}\n',
        'b.kt':
          'package a\n\ninterface Shop {\n  val room: Room?\n}\nclass Room {\n  fun send() {}\n}\nclass Other {\n  fun send() {}\n}\n',
      },
      'b.kt#Room.send',
    ],
    [
      'a value that is surely not null in Kotlin',
      {
        'a.kt': 'package a\n\nfun run(room: Room?) {\n  room!!.send()\n}\n',
        'b.kt': 'package a\n\nclass Room {\n  fun send() {}\n}\nclass Other {\n  fun send() {}\n}\n',
      },
      'b.kt#Room.send',
    ],
    [
      'what may be null in PHP',
      {
        'a.php':
          '<?php\nclass Shop {\n  public ?Room $room;\n  function run(?Shop $shop) {\n    $shop?->room?->send();\n  }\n}\nclass Room {\n  function send() {}\n}\nclass Other {\n  function send() {}\n}\n',
      },
      'a.php#Room.send',
    ],
    [
      'the attribute of an instance in Python',
      {
        'a.py':
          'class Room:\n    def send(self): pass\n\nclass Other:\n    def send(self): pass\n\nclass Shop:\n    def __init__(self):\n        self.room = Room()\n\n    def run(self):\n        room = self.room\n        room.send()\n',
      },
      'a.py#Room.send',
    ],
    [
      'a field of a parameter in Go',
      {
        'a.go':
          'package a\n\ntype Shop struct {\n\troom *Room\n}\n\ntype Room struct{}\n\nfunc (r *Room) send() {}\n\ntype Other struct{}\n\nfunc (o *Other) send() {}\n\nfunc run(shop *Shop) {\n\troom := shop.room\n\troom.send()\n}\n',
      },
      'a.go#Room.send',
    ],
    [
      'a property in C#, and what may be null',
      {
        'a.cs':
          'class Shop {\n  Room? Room { get; set; }\n  void Run(Shop shop) {\n    var room = shop.Room;\n    room?.send();\n  }\n}\nclass Room {\n  void send() {}\n}\nclass Other {\n  void send() {}\n}\n',
      },
      'a.cs#Room.send',
    ],
    [
      'a field in Rust',
      {
        'a.rs':
          'struct Shop {\n    room: Room,\n}\nstruct Room {}\nimpl Room {\n    fn send(&self) {}\n}\nstruct Other {}\nimpl Other {\n    fn send(&self) {}\n}\nfn run(shop: &Shop) {\n    let room = &shop.room;\n    let again = shop.room;\n    again.send();\n}\n',
      },
      'a.rs#Room.send',
    ],
    [
      'a constructor that a field keeps in JavaScript',
      {
        'a.js':
          "import { Room } from './room.js';\nclass Shop {\n  constructor() {\n    this.room = new Room();\n  }\n  run() {\n    this.room.send();\n  }\n}\n",
        'room.js': 'export class Room {\n  send() {}\n}\nexport class Door {\n  send() {}\n}\n',
      },
      'room.js#Room.send',
    ],
    [
      'the values of a list in TypeScript',
      {
        'a.ts':
          "import type { Room } from './room.ts';\nlet rooms: Room[];\nrooms.map((room) => room.send());\nfor (const room of rooms) room.send();\n",
        'room.ts': 'export class Room {\n  send() {}\n}\n',
        ...others,
      },
      'room.ts#Room.send',
    ],
    [
      'a chain of a builder in TypeScript, with long type arguments',
      {
        'a.ts':
          "import { init } from './init.ts';\nconst shop = init.with<object>().open();\nshop.room.keep({ a: 1 }).send();\n",
        'init.ts': `class Builder<C> {\n  with<D>() {\n    return new Builder<D>();\n  }\n  open(): Shop<${'C, '.repeat(80)}C> {\n    return make();\n  }\n}\ninterface Shop<C> {\n  room: Room<${'C, '.repeat(80)}C>;\n}\ninterface Room<C> {\n  keep: (value: C) => Room<C>;\n  send(): void;\n}\nexport const init = new Builder();\n`,
        ...others,
      },
      'init.ts#Room.send',
    ],
    [
      'what a function without a declared result returns in JavaScript',
      {
        'a.js':
          "import { open } from './room.js';\nconst find = (name) => {\n  const room = open(name);\n  if (name === '') return null;\n  return room;\n};\nexport const run = () => find('a').send();\n",
        'room.js':
          'export class Room {\n  send() {}\n}\nexport class Door {\n  send() {}\n}\nexport function open(name) {\n  return new Room(name);\n}\n',
      },
      'room.js#Room.send',
    ],
    [
      'a parameter that a field keeps in Python',
      {
        'a.py':
          'from room import Room\n\nclass Shop:\n    def __init__(self, room: "Room | None"):\n        self.room = room\n    def run(self):\n        self.room.send()\n',
        'room.py': 'class Room:\n    def send(self): pass\n\nclass Door:\n    def send(self): pass\n',
      },
      'room.py#Room.send',
    ],
    [
      'a variable of a module in Go',
      {
        'a/a.go': 'package a\n\nfunc run() {\n\tRooms.Send()\n}\n',
        'a/b.go':
          'package a\n\ntype Room struct{ base }\ntype base struct{}\ntype door struct{}\n\nvar Rooms *Room\n\nfunc (b *base) Send() {}\nfunc (d *door) Send() {}\n',
      },
      'a/b.go#base.Send',
    ],
    [
      'the field of another file in Go',
      {
        'a/a.go': 'package a\n\nfunc (s *Shop) run() {\n\ts.room.Send()\n}\n',
        'a/b.go':
          'package a\n\ntype Shop struct {\n\troom *Room\n}\ntype Room struct{}\ntype Door struct{}\n\nfunc (r *Room) Send() {}\nfunc (d *Door) Send() {}\n',
      },
      'a/b.go#Room.Send',
    ],
    [
      'an inherited field in Java',
      {
        'a/A.java': 'package a;\nclass A extends Base {\n  void run() { room.send(); }\n}\n',
        'a/Base.java': 'package a;\nclass Base {\n  Room room;\n}\n',
        'a/Room.java': 'package a;\nclass Room {\n  void send() {}\n}\n',
        'a/Door.java': 'package a;\nclass Door {\n  void send() {}\n}\n',
      },
      'a/Room.java#Room.send',
    ],
    [
      'the result of a method in C#',
      {
        'A.cs':
          'namespace N;\nclass A\n{\n    Shop shop;\n    void Run()\n    {\n        var room = shop.Open();\n        room.Send();\n    }\n}\n',
        'B.cs':
          'namespace N;\nclass Shop\n{\n    public Room Open() { return null; }\n}\nclass Room\n{\n    public void Send() {}\n}\nclass Door\n{\n    public void Send() {}\n}\n',
      },
      'B.cs#Room.Send',
    ],
    [
      'the result of a constructor in Rust',
      {
        'a.rs':
          'struct Room;\nstruct Door;\nimpl Room {\n    fn new() -> Result<Self, Error> { Ok(Room) }\n    fn send(&self) {}\n}\nimpl Door {\n    fn send(&self) {}\n}\nfn run() {\n    let room = Room::new()?;\n    room.send();\n}\n',
      },
      'a.rs#Room.send',
    ],
    [
      'a promoted parameter in PHP',
      {
        'a.php':
          '<?php\nclass Shop {\n  function __construct(private Room $room) {}\n  function run() { $this->room->send(); }\n}\nclass Room {\n  function send() {}\n}\nclass Door {\n  function send() {}\n}\n',
      },
      'a.php#Room.send',
    ],
    [
      'an instance variable in Ruby',
      {
        'a.rb':
          'class Shop\n  def initialize\n    @room = Room.new\n  end\n  def run\n    @room.send_all\n  end\nend\nclass Room\n  def send_all\n  end\nend\nclass Door\n  def send_all\n  end\nend\n',
      },
      'a.rb#Room.send_all',
    ],
    [
      'a field of a header in C++',
      {
        'a.cpp': '#include "shop.hpp"\nvoid Shop::run() {\n  room_->send();\n}\n',
        'shop.hpp':
          'class Room {\n public:\n  void send() {}\n};\nclass Door {\n public:\n  void send() {}\n};\nclass Shop {\n  void run();\n  Room* room_;\n};\n',
      },
      'shop.hpp#Room.send',
    ],
  ])('by %s', async (_, files, target) => {
    const name = target.slice(target.lastIndexOf('.') + 1);
    const found = await targetsOf(name, files);
    expect(new Set(found.map((line) => line.split(' ').slice(0, 2).join(' ')))).toEqual(
      new Set([`certain ${target}`]),
    );
  });
});

describe('a call is possible', () => {
  it('if a function returns several types', async () => {
    const found = await targetsOf('send', {
      'a.js':
        'function open(name) {\n  if (name) return new Room();\n  return [1].map(() => {\n    return new Door();\n  });\n}\nopen().send();\nclass Room {\n  send() {}\n}\nclass Door {\n  send() {}\n}\n',
    });
    expect(found).toEqual(['possible a.js#Room.send candidates', 'possible a.js#Door.send candidates']);
  });

  it('to what implements or overrides the member that it certainly names', async () => {
    const found = await targetsOf('send', {
      'a.ts': "import type { Sink } from './sink.ts';\nfunction run(sink: Sink) {\n  sink.send();\n}\n",
      'sink.ts': 'export interface Sink {\n  send(): void;\n}\n',
      'file.ts':
        "import type { Sink } from './sink.ts';\nexport class FileSink implements Sink {\n  send() {}\n}\n",
      'fast.ts': "import { FileSink } from './file.ts';\nclass FastSink extends FileSink {\n  send() {}\n}\n",
      ...others,
    });
    expect(found).toEqual([
      'certain sink.ts#Sink.send imported',
      'possible file.ts#FileSink.send overrides',
      'possible fast.ts#FastSink.send overrides',
    ]);
  });

  it('to all that have its name if the type of the receiver is not known', async () => {
    const found = await targetsOf('close', {
      'a.ts': 'function run(it: any) {\n  it.close();\n}\n',
      'b.ts': 'export class B {\n  close() {}\n}\n',
      ...others,
    });
    expect(found).toEqual(['possible b.ts#B.close candidates', 'possible other.ts#Other.close candidates']);
  });

  it('to no definition of a test that has nothing to do with its file', async () => {
    const found = await targetsOf('close', {
      'a.ts': 'function run(it: any) {\n  it.close();\n}\n',
      'test/b.test.ts': 'class B {\n  close() {}\n}\n',
    });
    expect(found).toEqual([]);
  });

  it('to nothing if the type of the receiver is of elsewhere', async () => {
    const found = await resolve({
      'a.ts':
        "import { Pool } from 'pg';\nfunction run(pool: Pool) {\n  pool.connect().close();\n  pool.close();\n}\n",
      ...others,
    });
    expect(found.filter((line) => line.startsWith('call close'))).toEqual(['call close -> ?']);
  });
});
