import { describe, expect, it } from 'vitest';
import { type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';

const { resolve } = openResolving();

/** Returns what the calls of a name in the first file mean. */
async function callsOf(name: string, files: Files): Promise<string[]> {
  const lines = await resolve(files);
  return lines.filter((line) => line.startsWith(`call ${name} `));
}

describe('a name alone', () => {
  it('means no member of a class of an included header in C++', async () => {
    const files = {
      'edit.h':
        '#include "key.h"\nnamespace db {\nclass Edit {\n public:\n  Edit() { Clear(); }\n  void Clear();\n};\n}\n',
      'key.h': 'namespace db {\nclass Key {\n public:\n  void Clear() {}\n};\n}\n',
      'edit.cc': '#include "edit.h"\nnamespace db {\nvoid Edit::Clear() {}\n}\n',
    };
    expect(await callsOf('Clear', files)).toEqual(['call Clear -> edit.cc#db.Edit.Clear 60 same_package']);
  });

  it('means an inherited member before a function of an included header in C++', async () => {
    const files = {
      'a.cc':
        '#include "base.hpp"\n#include "free.hpp"\nstruct Room : Base {\n  void run() { open(); }\n};\n',
      'base.hpp': 'struct Base {\n  void open() {}\n};\n',
      'free.hpp': 'inline void open() {}\n',
    };
    expect(await callsOf('open', files)).toEqual(['call open -> base.hpp#Base.open 90 imported']);
  });

  it('means a member of the file where a macro hides the class in C++', async () => {
    const files = {
      'room_test.cc':
        'struct RoomTest {\n  void OpenAll() {}\n};\nTEST_F(RoomTest, Opens) {\n  OpenAll();\n  ShutAll();\n}\n',
      'door.cc': 'struct Door {\n  void ShutAll() {}\n};\n',
    };
    expect(await callsOf('OpenAll', files)).toEqual([
      'call OpenAll -> room_test.cc#RoomTest.OpenAll 60 unique',
    ]);
    expect(await callsOf('ShutAll', files)).toEqual(['call ShutAll -> door.cc#Door.ShutAll 20 candidates']);
  });

  it('is no sure member of another class in Ruby, also of a required file', async () => {
    const files = {
      'spec/room_spec.rb': 'require "room"\ncontext "open" do\n  prepare\nend\n',
      'lib/room.rb': 'class Room\n  def self.prepare\n  end\n  def context\n  end\nend\n',
    };
    expect(await callsOf('prepare', files)).toEqual([
      'call prepare -> lib/room.rb#Room.prepare 20 candidates',
    ]);
    expect(await callsOf('context', files)).toEqual([
      'call context -> lib/room.rb#Room.context 20 candidates',
    ]);
  });

  it('means a member only of the type whose names are all imported', async () => {
    const files = {
      'a/A.scala':
        'package a\nimport b._\nimport b.Room._\nclass A { def run() = { open(1); shut(1); Key(1) } }\n',
      'b/Room.scala':
        'package b\nobject Room { def open(x: Int) = x }\nclass Door { def shut(x: Int) = x; case class Key(x: Int) }\n',
    };
    expect(await callsOf('open', files)).toEqual(['call open -> b/Room.scala#Room.open 90 imported']);
    expect(await callsOf('shut', files)).toEqual(['call shut -> ?']);
    expect(await callsOf('Key', files)).toEqual(['call Key -> ?']);
  });

  it('means no function inside of a function of another file', async () => {
    const files = {
      'A.scala': 'package acme\nclass A {\n  def run(poll: Int => Int) = poll(1)\n}\n',
      'B.scala': 'package acme\nclass B {\n  def run() = {\n    def poll(x: Int) = x\n    poll(1)\n  }\n}\n',
    };
    expect(await callsOf('poll', files)).toEqual(['call poll -> ?']);
  });

  it('is no sure type that another type of the package has inside', async () => {
    const files = {
      'A.scala': 'package acme\nclass A {\n  def run = { Door(1); Hall(1) }\n}\n',
      'B.scala': 'package acme\nobject B {\n  case class Door(x: Int)\n}\ncase class Hall(x: Int)\n',
    };
    expect(await callsOf('Door', files)).toEqual(['call Door -> B.scala#B.Door 20 candidates']);
    expect(await callsOf('Hall', files)).toEqual(['call Hall -> B.scala#Hall 60 same_package']);
  });

  it('is no call if it is any parameter in Ruby', async () => {
    const files = {
      'a.rb':
        'class A\n  def f(*all, limit: 1, **options, &block)\n    @options = options\n    @block = block\n  rescue Error => error\n    @error = error\n  end\n  attr_reader :options, :block, :error\nend\n',
    };
    for (const name of ['options', 'block', 'error']) expect(await callsOf(name, files)).toEqual([]);
  });

  it('is no sure class if several files open that in Ruby', async () => {
    const files = {
      'spec/a_spec.rb': 'require "acme/config/room"\nAcme::Config.new\nAcme::Door.new\n',
      'lib/acme/config/room.rb':
        'module Acme\n  class Config\n    class Room\n    end\n  end\n  class Door\n  end\nend\n',
      'lib/acme/config.rb': 'module Acme\n  class Config\n  end\nend\n',
    };
    expect((await resolve(files)).filter((line) => line.startsWith('new '))).toEqual([
      'new Door -> lib/acme/config/room.rb#Acme.Door 90 imported',
      'new Config -> ?',
    ]);
  });

  it('is the class that `new` makes an instance of in Ruby', async () => {
    const files = {
      'a.rb': 'def run\n  Room.new(1)\n  Acme::Door.new\nend\n',
      'b.rb': 'class Room\n  def new\n  end\nend\nmodule Acme\n  class Door\n  end\nend\n',
    };
    expect((await resolve(files)).filter((line) => line.startsWith('new '))).toEqual([
      'new Room -> b.rb#Room 60 unique',
      'new Door -> b.rb#Acme.Door 60 unique',
    ]);
  });

  it('means a function of a required file in Ruby', async () => {
    const files = {
      'spec/room_spec.rb': 'require "room"\nopen_room(1)\n',
      'lib/room.rb': 'def open_room(door)\nend\n',
    };
    expect(await callsOf('open_room', files)).toEqual([
      'call open_room -> lib/room.rb#open_room 90 imported',
    ]);
  });
});

describe('a receiver of unknown type', () => {
  it('is not surely of the type around the call if that calls its own members without one', async () => {
    const ruby = {
      'slice.rb':
        'class Slice\n  def run\n    setup.router.open\n    settings.router\n  end\n  def router\n  end\nend\n',
    };
    expect(await callsOf('router', ruby)).toEqual(['call router -> slice.rb#Slice.router 20 candidates']);
    const csharp = {
      'A.cs':
        'class Shape {\n  bool Read(Item item) => item.TryGet(out var value) && value.GetFlag();\n  static bool GetFlag(Item item) => true;\n}\n',
    };
    expect(await callsOf('GetFlag', csharp)).toEqual(['call GetFlag -> A.cs#Shape.GetFlag 20 candidates']);
  });

  it('is surely of a type in Ruby if it is named like that', async () => {
    const files = {
      'a.rb': 'class Shop\n  def run(config)\n    config.locales\n    @leases.renew_all\n  end\nend\n',
      'b.rb': 'class LeaseTable\n  def renew_all\n  end\n  def locales\n  end\nend\n',
    };
    expect(await callsOf('renew_all', files)).toEqual([
      'call renew_all -> b.rb#LeaseTable.renew_all 60 unique',
    ]);
    expect(await callsOf('locales', files)).toEqual([
      'call locales -> b.rb#LeaseTable.locales 20 candidates',
    ]);
  });

  it('is the class of the instance in Ruby', async () => {
    const files = {
      'a.rb': 'class Log\n  def self.known?(it)\n  end\n  def run\n    self.class.known?(1)\n  end\nend\n',
    };
    expect(await callsOf('known?', files)).toEqual(['call known? -> a.rb#Log.known? 100 same_file']);
  });

  it('is unknown for the placeholder of Scala', async () => {
    const files = {
      'A.scala': 'package acme\nclass A {\n  def run(all: List[Any]) = all.map(_.twice(1))\n}\n',
      'B.scala': 'package acme\nclass B {\n  def twice(x: Int) = x\n}\n',
    };
    expect(await callsOf('twice', files)).toEqual(['call twice -> B.scala#B.twice 20 candidates']);
  });

  it('is no sure type in Kotlin if numbers have the function, too', async () => {
    const files = {
      'A.kt': 'package acme\nfun f(list: List<Int>) { for (word in list) word shl 6 }\n',
      'B.kt': 'package acme\ninfix fun Byte.shl(other: Int): Int = toInt() shl other\n',
    };
    expect(await callsOf('shl', files)).toEqual(['call shl -> B.kt#Byte.shl 20 candidates']);
  });

  it('is no variable if it is a path of modules', async () => {
    const rust = {
      'a.rs': 'fn run() {\n    let name = std::env::var("A");\n}\n',
      'b.rs': 'struct Room;\nimpl Room {\n    fn var(&self) {}\n}\n',
    };
    expect(await callsOf('var', { ...rust, 'a.rs': `use crate::b::Room;\n${rust['a.rs']}` })).toEqual([
      'call var -> b.rs#Room.var 20 candidates',
    ]);
    const cpp = {
      'a.cc': '#include "b.hpp"\nvoid run() {\n  std::advance(1);\n}\n',
      'b.hpp': 'struct Room {\n  void advance(int n) {}\n};\n',
    };
    expect(await callsOf('advance', cpp)).toEqual(['call advance -> b.hpp#Room.advance 20 candidates']);
  });
});

describe('the package of Scala', () => {
  const clauses = {
    'A.scala': 'package acme\npackage room\n\nclass A {\n  def run() = { open(); Door() }\n}\n',
    'B.scala': 'package acme.room\n\ndef open() = 1\n',
    'C.scala': 'package acme\n\nobject Door\n',
    'D.scala': 'package acme\npackage hall\n\ndef open() = 2\n',
  };

  it('has the names of all its clauses', async () => {
    expect(await callsOf('open', clauses)).toEqual(['call open -> B.scala#open 60 same_package']);
  });

  it('sees the packages around it', async () => {
    expect(await callsOf('Door', clauses)).toEqual(['call Door -> C.scala#Door 60 same_package']);
  });
});
